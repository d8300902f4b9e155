package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/docs"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// freshReference is the reference as this program writes it.
var freshReference = sync.OnceValues(func() ([]docs.Page, error) {
	plans, err := repositoryPlans("../..")
	if err != nil {
		return nil, err
	}
	return reference(plans, "../..", "../../docs")
})

func referencePages(t *testing.T) []docs.Page {
	t.Helper()
	return must.Get(freshReference())(t)
}

// The committed reference is what the program writes.
func TestDocsAreUpToDate(t *testing.T) {
	const cure = "run go run ./cmd/simulate dev docs"
	pages := referencePages(t)
	stale := 0
	for _, p := range pages {
		have, err := os.ReadFile(filepath.Join("../../docs", p.Path))
		if err == nil && bytes.Equal(have, p.Data) {
			continue
		}
		if stale++; stale <= 5 {
			t.Errorf("docs/%s is missing or stale: %s", p.Path, cure)
		}
	}
	if stale > 5 {
		t.Errorf("and %d more", stale-5)
	}
	for _, path := range must.Get(stalePages("../../docs", pages))(t) {
		t.Errorf("%s is about something that is gone: %s", path, cure)
	}
}

var links = regexp.MustCompile(`\]\(([^)]*)\)`)

// Every link of the reference leads to a page or to a file.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	pages := referencePages(t)
	known := map[string]bool{}
	for _, p := range pages {
		known[path.Join("docs", p.Path)] = true
	}
	followed := 0
	for _, p := range pages {
		for _, m := range links.FindAllStringSubmatch(string(p.Data), -1) {
			to, err := url.PathUnescape(m[1])
			if err != nil || strings.Contains(to, "://") {
				continue
			}
			followed++
			if page, anchor, ok := strings.Cut(to, "#"); ok {
				to = page
				if target := path.Join(path.Dir(p.Path), page); !hasHeading(pages, target, anchor) {
					t.Errorf("docs/%s links to a heading %s of %s, which is not there", p.Path, anchor, page)
				}
			}
			to = path.Join("docs", path.Dir(p.Path), to)
			if known[to] {
				continue
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("docs/%s links to %s, which is not there", p.Path, to)
			}
		}
	}
	if followed < 500 {
		t.Errorf("only %d links were followed", followed)
	}
}

// hasHeading reports whether a page has the heading that an anchor stands for.
func hasHeading(pages []docs.Page, of, anchor string) bool {
	for _, p := range pages {
		if p.Path != of {
			continue
		}
		for line := range strings.Lines(string(p.Data)) {
			if words, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimSpace(line), "#"), " "); ok && line[0] == '#' &&
				strings.ToLower(strings.ReplaceAll(words, " ", "-")) == anchor {
				return true
			}
		}
	}
	return false
}

// The pages depend on neither home directory nor number of cores. (Those of two times are the same:
// see TestDocsAreUpToDate.)
func TestDocsSayNothingOfThisMachine(t *testing.T) {
	for _, p := range referencePages(t) {
		if home, err := os.UserHomeDir(); err == nil && len(home) > 1 && bytes.Contains(p.Data, []byte(home)) {
			t.Errorf("docs/%s names the home directory", p.Path)
		}
		if p.Path == "commands.md" && !bytes.Contains(p.Data, []byte("(default one for each core)")) {
			t.Errorf("docs/%s says how many cores this machine has:\n%s", p.Path, p.Data)
		}
	}
}

// The README names the share of updates that the first lock of Jepsen's test loses here.
func TestJepsensFigureInTheReadme(t *testing.T) {
	p := must.Get(loadFile(t.Context(), "../../scenarios/published/jepsen-etcd-3.4.3.yaml"))(t)
	w := simulator()
	defer w.Close()
	share := must.Get(lostBy(w, p, p.Locks[0]))(t)
	data := must.Get(os.ReadFile("../../README.md"))(t)
	want := fmt.Sprintf("the simulator loses %d %%", (200*share.Lost+share.Accepted)/(2*share.Accepted))
	if !strings.Contains(strings.Join(strings.Fields(string(data)), " "), want) {
		t.Errorf("README.md does not say that %s", want)
	}
}

// The recipe for CI uploads the folder in which it stores its runs.
func TestRecipeForCI(t *testing.T) {
	data := must.Get(os.ReadFile("../../docs/in-your-ci.md"))(t)
	_, page, _ := strings.Cut(string(data), "## In the repository of lockstep")
	_, recipe, _ := strings.Cut(page, "```yaml\n- uses")
	recipe, _, _ = strings.Cut(recipe, "```")
	for _, want := range []string{"simulate run scenarios --out reports --quiet", "upload-artifact", "if: always()", "\n      reports\n"} {
		if !strings.Contains(recipe, want) {
			t.Errorf("the recipe lacks %q:\n%s", want, recipe)
		}
	}
}

// Each question of practice has at most twenty lines, is linked from its page, and has conclusive
// runs.
func TestQuestionsOfPracticeAreAnswered(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/questions.md"))(t)
	files, err := filepath.Glob("../../scenarios/questions/*.yaml")
	if err != nil || len(files) != 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		english, _, _ := strings.Cut(string(data), "\nzh:")
		_, english, _ = strings.Cut(english, "\n") // the line for editors
		if lines := strings.Count(strings.TrimSpace(english), "\n") + 1; lines > 20 {
			t.Errorf("%s has %d lines", file, lines)
		}
		if name := "scenarios/questions/" + filepath.Base(file); !strings.Contains(string(page), name) {
			t.Errorf("the page does not link %s", name)
		}
		p := scenariotest.Load(t, file)
		const seeds = 5
		tally := bundle.NewTally(p.Locks[0], 1, seeds)
		must.Do(t, run.Seeds(t.Context(), simulator, p, p.Locks[0], 1, seeds, 1, tally.Count))
		if tally.Finish(); tally.Tested == 0 {
			t.Errorf("%s: %s", file, tally.UntestedText().English())
		}
	}
}

// Every lock that the walk breaks has a counterexample, and something breaks in it.
func TestCounterexamplesStillBreak(t *testing.T) {
	x := must.Get(storedWalk())(t)
	examples := must.Get(counterexamples(x))(t)
	if len(examples) < 50 {
		t.Errorf("only %d counterexamples", len(examples))
	}
	for lock, e := range examples {
		broken := 0
		for _, s := range e.Steps {
			if !s.Note.Empty() {
				broken++
			}
		}
		if broken == 0 {
			t.Errorf("%s: nothing breaks in its counterexample", lock)
		}
	}
}

func TestACounterexampleThatHoldsIsAnError(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("..", "..", "scenarios", "lessons", "pause-past-lease.yaml")))(t)
	w := sim.New()
	defer w.Close()
	play := func(text string) error {
		p := scenariotest.Parse(t, "a.yaml", text)
		_, err := playExample(w, p, "set-nx-lua", &results.CutSet{})
		return err
	}
	text := string(data)
	must.Do(t, play(text))
	harmless := text[:strings.Index(text, "faults:")] + text[strings.Index(text, "expect:"):]
	if err := play(harmless); err == nil || !strings.Contains(err.Error(), "no longer breaks") {
		t.Errorf("a story without its fault is taken for a counterexample: %v", err)
	}
}
