package runpage_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"lockstep/internal/chaos"
	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/report/runpage"
	"lockstep/internal/say"
	"lockstep/internal/scenario/scenariotest"
)

// played plays a story with all its locks.
func played(t *testing.T, p *plan.Plan) *bundle.Bundle {
	t.Helper()
	return bundle.Of(reporttest.Play(t, p, 1), "simulate run x --seed 1", "")
}

// others are the same runs as if on real servers, and as if nothing had gone as expected.
func others(b *bundle.Bundle) []*bundle.Bundle {
	live, missed := *b, *b
	live.Backend, live.Logs = "process", true
	missed.Runs = slices.Clone(b.Runs)
	for i := range missed.Runs {
		r := &missed.Runs[i]
		r.Judgement.Untested = say.NeverFired.With(1, say.Both{English: "pause A", Chinese: "让 A 停顿"})
		r.Expected = slices.Clone(r.Expected)
		for k := range r.Expected {
			e := &r.Expected[k]
			e.Verdict = map[checker.Verdict]string{checker.Kept: "broken", checker.Broken: "kept"}[e.Got]
		}
	}
	return []*bundle.Bundle{b, &live, &missed}
}

// stories are the scenarios of some directories, with their random faults drawn.
func stories(t *testing.T, dirs ...string) (all []*plan.Plan) {
	t.Helper()
	for _, dir := range dirs {
		files, err := filepath.Glob("../../../scenarios/" + dir + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatalf("no stories in %s: %v", dir, err)
		}
		for _, file := range files {
			drawn := *chaos.Draw(scenariotest.Load(t, file), 1)
			drawn.File = file
			all = append(all, &drawn)
		}
	}
	return all
}

// A Chinese page has no English but names and commands, in any story.
func TestNoEnglishIsLeftOnAChinesePage(t *testing.T) {
	left := map[string]string{}
	for _, p := range stories(t, "lessons", "search", "regressions") {
		bundles := []*bundle.Bundle{played(t, p)}
		if strings.HasSuffix(p.File, "pause-past-lease.yaml") {
			bundles = others(bundles[0])
		}
		for _, b := range bundles {
			page := must.Get(runpage.HTML(b, say.Chinese))(t)
			for _, text := range reporttest.English(page) {
				left[text] = filepath.Base(p.File)
			}
		}
	}
	for text, file := range left {
		t.Errorf("%s: %s", file, text)
	}
}

// isWord reports whether an element is a term or its explanation, which each language has its own
// of.
func isWord(tok html.Token) bool {
	return slices.ContainsFunc(tok.Attr, func(a html.Attribute) bool { return a.Key == "popover" || a.Key == "popovertarget" })
}

// The pages in both languages have the same elements.
func TestAChinesePageHasTheSameElements(t *testing.T) {
	b := played(t, scenariotest.Load(t, "../../../scenarios/lessons/pause-past-lease.yaml"))
	var tags [2][]string
	for i, l := range []say.Language{say.English, say.Chinese} {
		page := must.Get(runpage.HTML(b, l))(t)
		if lang := fmt.Sprintf("<html lang=%q>", l); !strings.Contains(string(page), lang) {
			t.Errorf("the page has no %s", lang)
		}
		z := html.NewTokenizer(strings.NewReader(string(page)))
		for z.Next() != html.ErrorToken {
			if tok := z.Token(); tok.Type == html.StartTagToken && !slices.Contains([]string{"a", "dt", "dd", "dfn"}, tok.Data) && !isWord(tok) {
				tags[i] = append(tags[i], tok.Data)
			}
		}
	}
	if len(tags[0]) < 500 || !slices.Equal(tags[0], tags[1]) {
		t.Errorf("%d elements in English, %d in Chinese", len(tags[0]), len(tags[1]))
	}
}
