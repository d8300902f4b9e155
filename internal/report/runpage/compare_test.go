package runpage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/timeline"
)

// storiesOf are the stories of a bundle.
func storiesOf(b *bundle.Bundle) []story {
	stories := make([]story, len(b.Runs))
	for i := range b.Runs {
		stories[i] = newStory(b, &b.Runs[i], 100, say.English)
	}
	return stories
}

// One lock is compared with nothing, and a lock without a history with its name only.
func TestLocksSideBySide(t *testing.T) {
	b := reporttest.Bundle()
	b.Runs = b.Runs[:1]
	reporttest.Lacks(t, drawPage(t, b), "The locks side by side")
	b = reporttest.Bundle()
	b.Runs = append(b.Runs, bundle.Run{Lock: "never-played"})
	reporttest.Has(t, drawPage(t, b), "<td>not played</td>")
}

func TestSameStoriesDoNotDiffer(t *testing.T) {
	one, two := reporttest.PauseRun("a", false), reporttest.PauseRun("b", false)
	for _, tt := range []struct{ first, second, want int }{{9, 9, -1}, {9, 3, 3}, {3, 9, 3}} { // numbers of steps
		a, b := bundle.Narrate(&one, "a", 0), bundle.Narrate(&two, "b", 0)
		a.Steps, b.Steps = a.Steps[:tt.first], b.Steps[:tt.second]
		if b.Compare(&a); b.Differs != tt.want {
			t.Errorf("%d steps differ from %d at %d, want %d", tt.second, tt.first, b.Differs, tt.want)
		}
	}
}

// Each flip is a command line that changes the resolved scenario as its text says.
func TestFlipsChangeOneThing(t *testing.T) {
	p := scenariotest.Load(t, "../../../scenarios/lessons/pause-past-lease.yaml")
	b := reporttest.Bundle()
	p.Redis.Lag = 100 * time.Millisecond
	b.Plan = p
	h := b.Runs[0].Judgement.History
	for i := range h.Events {
		if h.Events[i].Kind == history.Acquired {
			h.Events[i].Token = int64(i) + 1 // so that a fence would help
		}
	}
	changes := map[string]func(p *plan.Plan) bool{
		"faults.1.for":      func(p *plan.Plan) bool { return p.Faults[0].End.For == 2500*time.Millisecond },
		"servers.redis.lag": func(p *plan.Plan) bool { return p.Redis.Lag == 0 },
		"workload.fence":    func(p *plan.Plan) bool { return p.Workload.Fence == plan.FenceReadsAndWrites },
		"lease":             func(p *plan.Plan) bool { return p.Lease == 30*time.Second },
	}
	got := edits(b, 0)
	if len(got) != len(changes) {
		t.Errorf("%d edits, want %d: %v", len(got), len(changes), got)
	}
	for _, e := range got {
		parsed, err := scenario.Parse("x.yaml", []byte(scenario.Resolved(p)), scenario.Change{Key: e.key, Value: e.value})
		if err != nil {
			t.Errorf("%q: %v", e.text.English(), err)
			continue
		}
		if is := changes[e.key]; is == nil || !is(parsed) {
			t.Errorf("%q does not do what it says", e.text.English())
		}
	}
	shown := flips(b, 0, &story{})
	if len(shown) != maxFlips {
		t.Fatalf("%d flips, want %d", len(shown), maxFlips)
	}
	for i, want := range []string{
		"simulate run ../../../scenarios/lessons/pause-past-lease.yaml --set faults.1.for=2500ms --set expect=anything --lock set-nx-ex-del --seed 7",
		"simulate run ../../../scenarios/lessons/pause-past-lease.yaml --set servers.redis.lag=0s --set expect=anything --lock set-nx-ex-del --seed 7",
	} {
		if shown[i].Command != want {
			t.Errorf("flip %d is\n%s\nwant\n%s", i, shown[i].Command, want)
		}
	}
}

// No flip is offered that would not play the run of the report.
func TestNoFlipsWhereTheyWouldNotPlay(t *testing.T) {
	tests := map[string]func(b *bundle.Bundle){
		"real servers":  func(b *bundle.Bundle) { b.Backend = "process" },
		"another scale": func(b *bundle.Bundle) { b.Runs[0].Judgement.History.Header.ScalePPM = 100_000 },
		"stdin":         func(b *bundle.Bundle) { b.Plan.File = "-" },
		"no plan":       func(b *bundle.Bundle) { b.Plan = nil },
		"hostile name":  func(b *bundle.Bundle) { b.Plan.File = "a\u202eb.yaml" },
	}
	for name, change := range tests {
		b := reporttest.Bundle()
		b.Plan.Faults[0].End = faults.End{For: 15 * time.Second}
		if n := len(flips(b, 0, &story{})); n < 2 {
			t.Fatalf("%d flips without the change", n)
		}
		change(b)
		for _, f := range flips(b, 0, &story{}) {
			if strings.Contains(f.Command, " --set ") {
				t.Errorf("%s: offers %s", name, f.Command)
			}
		}
	}
	if got := argument("a b'c.yaml"); got != `'a b'\''c.yaml'` {
		t.Errorf("quoted %s", got)
	}
	if got := argument("-rf"); got != "./-rf" {
		t.Errorf("quoted %s", got)
	}
}

// A lock fixes another one if it was tested and kept everything that the other one broke.
func TestFixingLocks(t *testing.T) {
	b := reporttest.Bundle()
	if got := fixing(b, 0); len(got) != 0 {
		t.Errorf("a lock that broke three of four properties too fixes it: %v", got)
	}
	for n := range b.Runs[1].Judgement.Findings {
		b.Runs[1].Judgement.Findings[n] = reporttest.Kept(b.Runs[1].Judgement.Findings[n].Property)
	}
	if got := fixing(b, 0); !slices.Equal(got, []int{1}) {
		t.Errorf("locks %v fix it, want 1", got)
	}
	if got := fixing(b, 1); len(got) != 0 {
		t.Errorf("nothing broke, and locks %v fix it", got)
	}
	page := string(drawPage(t, b))
	fixes, price := strings.Index(page, `<dl class="fixes"><dt><a href="#lock-2">set-nx-lua</a>`), strings.Index(page, "2.0 instead of 2.0")
	if fixes < 0 || price < fixes || price > strings.Index(page, "The locks side by side") {
		t.Error("the page does not name the lock that fixes it first, with its price")
	}
	b.Runs[1].Judgement.Untested = say.NeverFired.With(1, say.Both{})
	if got := fixing(b, 0); len(got) != 0 {
		t.Errorf("recommends a lock that was not tested: %v", got)
	}
	b.Runs[1].Judgement.Untested = say.Phrase{}
	b.Runs[1].Judgement.Findings[0].Verdict = checker.Unknown
	if got := fixing(b, 0); len(got) != 0 {
		t.Errorf("recommends a lock of which nothing is known: %v", got)
	}
}

func TestMeasuresInWords(t *testing.T) {
	w := reporttest.NewWriter("set-nx-lua", "A", "B")
	w.Add(0, history.Waits, "A")
	w.Acquires(12, "A", 0) // one command
	w.Add(20, history.Waits, "B")
	w.Command(20, "B", "SET lock B-1 NX PX 10000", "(nil)", func(int32) {})
	w.Releases(1001, "A", "EVAL unlock lock A-1", "A") // one more
	w.Add(2000, history.GaveUp, "B")
	m := timeline.Of(w.H).Measure()
	if got := commandsText(m).English(); got != "3.0 (the cheapest 2)" {
		t.Errorf("commands %q", got)
	}
	if got := waitsText(m).English(); got != "0.012 s, 0.012 s; gave up once" {
		t.Errorf("waits %q", got)
	}
}
