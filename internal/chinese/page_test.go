package chinese_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"lockstep/internal/chaos"
	"lockstep/internal/chinese"
	"lockstep/internal/plan"
	"lockstep/internal/report"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/scenarios"
)

// pageOf plays a story and draws its report.
func pageOf(t *testing.T, w *sim.World, p *plan.Plan) []byte {
	t.Helper()
	b, err := bundleOf(w, p)
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.HTML(b, say.Chinese)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// bundleOf plays a story with all its locks.
func bundleOf(w *sim.World, p *plan.Plan) (*report.Bundle, error) {
	b := &report.Bundle{Plan: p, Backend: "sim", Seed: 1, Hash: "5f0c", Replay: "simulate run x --seed 1"}
	for _, lock := range p.Locks {
		out := run.One(context.Background(), w, p, lock, 1)
		if out.Err != nil {
			return nil, out.Err
		}
		shown := report.Run{Lock: lock, Judgement: out.Judgement, Untested: out.Untested()}
		for _, e := range out.Expected {
			shown.Expected = append(shown.Expected, report.Expected{Property: e.Property, Expected: e.Verdict, Got: string(e.Got), Met: e.Met()})
		}
		b.Runs = append(b.Runs, shown)
	}
	return b, nil
}

// live is a run as if on real servers.
func live(b *report.Bundle) *report.Bundle {
	out := *b
	out.Backend, out.Logs = "process", true
	return &out
}

// missed is a run in which nothing is as it was expected, and a fault never fired.
func missed(b *report.Bundle) *report.Bundle {
	out := *b
	out.Runs = slices.Clone(b.Runs)
	for i := range out.Runs {
		r := &out.Runs[i]
		r.Untested = say.NeverFired.With(1, say.Both{English: "pause A", Chinese: "让 A 停顿"})
		r.Expected = slices.Clone(r.Expected)
		for k := range r.Expected {
			e := &r.Expected[k]
			e.Met = false
			e.Expected = map[string]string{"kept": "broken", "broken": "kept"}[e.Got]
		}
	}
	return &out
}

// stories are all that the simulator can play, those that were found and those that are
// drawn among them.
func stories() ([]*plan.Plan, error) {
	var all []*plan.Plan
	for _, dir := range []string{"lessons", "search", "regressions"} {
		files, err := filepath.Glob("../../scenarios/" + dir + "/*.yaml")
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no stories in %s: %w", dir, err)
		}
		for _, file := range files {
			p, err := scenario.Load(file)
			if err != nil {
				return nil, err
			}
			drawn := *chaos.Draw(p, 1)
			drawn.File = file
			all = append(all, &drawn)
		}
	}
	return all, nil
}

// translations is what came of translating all stories.
type translations struct {
	missing map[string]string // stories, by texts that stay English
	used    map[string]bool   // templates
	err     error
}

// everything translates the reports of all stories, and what is said of them, once.
var everything = sync.OnceValue(func() *translations {
	all := &translations{missing: map[string]string{}, used: map[string]bool{}}
	chinese.Watch(func(english string) { all.used[english] = true })
	defer chinese.Watch(nil)
	w := sim.New()
	defer w.Close()
	plans, err := stories()
	if err != nil {
		all.err = err
		return all
	}
	for _, p := range plans {
		b, err := bundleOf(w, p)
		if err != nil {
			all.err = err
			return all
		}
		bundles := []*report.Bundle{b}
		if strings.HasSuffix(p.File, "pause-past-lease.yaml") { // the other world and other ends are told alike
			bundles = append(bundles, live(b), missed(b))
		}
		for _, b := range bundles {
			all.err = errors.Join(all.err, all.page(p.File, b))
		}
	}
	return all
})

func (all *translations) page(file string, b *report.Bundle) error {
	page, err := report.HTML(b, say.Chinese)
	if err != nil {
		return err
	}
	_, left, err := chinese.Page(page)
	for _, text := range left {
		all.missing[text] = file
	}
	return err
}

func translateAll(t *testing.T) *translations {
	t.Helper()
	if all := everything(); all.err != nil {
		t.Fatal(all.err)
	}
	return everything()
}

// Everything on the report of any story has a translation.
func TestEveryTextOfEveryReport(t *testing.T) {
	missing := translateAll(t).missing
	for _, text := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s: no Chinese for %q", missing[text], text)
	}
}

// What the translation does to the structure of a page: nothing but texts, the
// language and the marks of what stayed English.
func TestPageKeepsItsStructure(t *testing.T) {
	tests := []struct{ name, give, want string }{
		{"a text", `<p>Nothing relevant happened.</p>`, `<p>没有发生值得一提的事。</p>`},
		{"the language", `<html lang="en">`, `<html lang="zh">`},
		{"blanks stay", "<p>\n Right. <b>Wrong.</b></p>", "<p>\n 对。 <b>错。</b></p>"},
		{"a linked word", `<p><a class="term" href="#word-lease">租约</a>结束。没有人告诉 A。</p>`,
			`<p><a class="term" href="#word-lease">租约</a>结束。没有人告诉 A。</p>`},
		{"names for screen readers", `<a aria-label="set-nx-lua, step 4 at 1.000 s, a property breaks">4</a>`,
			`<a aria-label="set-nx-lua，第 4 步，1.000 秒，性质被破坏">4</a>`},
		{"what nobody has translated", `<p>The <a class="term" href="#word-moon">moon</a> rises.</p>`,
			`<p><span lang="en">The <a class="term" href="#word-moon">moon</a> rises.</span></p>`},
		{"entities", `<p translate="no">A&#39;s &lt;b&gt; own <b>x</b></p><p>The moon&#39;s own light &amp; more</p>`,
			`<p translate="no">A&#39;s &lt;b&gt; own <b>x</b></p><p><span lang="en">The moon&#39;s own light &amp; more</span></p>`},
		{"a quotation", `<td translate="no">Right. <td>Wrong.</td> Right.</td><td>Right.</td>`,
			`<td translate="no">Right. <td>Wrong.</td> Right.</td><td>对。</td>`},
		{"commands and styles", `<code>Right.</code><style>a{content:"Right."}</style>`, `<code>Right.</code><style>a{content:"Right."}</style>`},
		{"the words of the script", `<script type="application/json">{"a":["Right.","</x>"],"n":12345678901234567890}</script><script>"Right."</script>`,
			`<script type="application/json">{"a":["对。","\u003c/x\u003e"],"n":12345678901234567890}</script><script>"Right."</script>`},
		{"hostile names", `<p>&lt;script&gt;alert(1)&lt;/script&gt; 写入。资源接受了。</p>`,
			`<p>&lt;script&gt;alert(1)&lt;/script&gt; 写入。资源接受了。</p>`},
		{"messages", `<svg><g><title>SET lock A</title><text>SET, late</text></g><text>frozen</text></svg>`,
			`<svg><g><title>SET lock A</title><text>SET，迟到</text></g><text>冻结</text></svg>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := chinese.Page([]byte(tt.give))
			if err != nil || string(got) != tt.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, tt.want)
			}
		})
	}
}

// The tags of a page are the same in both languages, but for the marks of what stayed
// English and the links of words.
func TestTagsStay(t *testing.T) {
	data, err := scenarios.Files.ReadFile("lessons/pause-past-lease.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := scenario.Parse("pause-past-lease.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New()
	defer w.Close()
	page := pageOf(t, w, p)
	translated, left, err := chinese.Page(page)
	if err != nil || len(left) != 0 {
		t.Fatalf("%q stay English, %v", left, err)
	}
	if again, _, _ := chinese.Page(page); string(again) != string(translated) {
		t.Error("the same page twice gives two translations")
	}
	english, here := tagsOf(page), tagsOf(translated)
	if len(english) == 0 || strings.Join(english, " ") != strings.Join(here, " ") {
		t.Errorf("%d tags have become %d", len(english), len(here))
	}
}

func tagsOf(page []byte) []string {
	var tags []string
	z := html.NewTokenizer(strings.NewReader(string(page)))
	for z.Next() != html.ErrorToken {
		if token := z.Token(); token.Type == html.StartTagToken && token.Data != "a" && token.Data != "span" {
			tags = append(tags, token.Data)
		}
	}
	return tags
}
