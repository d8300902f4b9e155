package chaos_test

import (
	"slices"
	"testing"
	"time"

	"lockstep/internal/chaos"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/scenario/scenariotest"
)

const listed = `scenario: x
locks: [set-nx-lua]
lease: 10s
clients: [A, B]
workload: {repeat: 20 times, work: 1s..2s}
faults:
`

// list draws a list of faults with each of the first seeds.
func list(t *testing.T, text string, seeds uint64) (plans []*plan.Plan) {
	t.Helper()
	p := scenariotest.Parse(t, "x.yaml", listed+text)
	for seed := uint64(1); seed <= seeds; seed++ {
		plans = append(plans, chaos.Draw(p, seed))
	}
	return plans
}

func TestAListLeavesNothingOpenWhenItIsDrawn(t *testing.T) {
	for _, p := range list(t, `
  - {when: A enters, after: 1s..2s, pause: A, for: "p50 20ms, p99.9 4s"}
  - {at: 3s..4s, slow: B, by: 100ms..200ms}
  - {at: 5s, crash: B}
`, 200) {
		if p.IsOpen() || len(p.Faults) != 3 {
			t.Fatalf("%d faults, open: %v", len(p.Faults), p.IsOpen())
		}
		a, b, c := p.Faults[0], p.Faults[1], p.Faults[2]
		within := func(what string, d, low, high time.Duration) {
			if d < low || d > high {
				t.Errorf("%s is %v, want %v to %v", what, d, low, high)
			}
		}
		within("after", a.Trigger.After, time.Second, 2*time.Second)
		within("for", a.End.For, 1, 40*time.Second)
		within("at", b.Trigger.At, 3*time.Second, 4*time.Second)
		within("by", b.Args.Durations["by"], 100*time.Millisecond, 200*time.Millisecond)
		if c.Trigger.At != 5*time.Second || a.Drawn+b.Drawn+c.Drawn > 0 {
			t.Errorf("a fault of every run counts as drawn: %v", []string{a.Text, b.Text, c.Text})
		}
	}
}

func TestChanceLeavesOutAsManyAsItSays(t *testing.T) {
	came, empty := 0, 0
	for _, p := range list(t, "  - {when: A enters, crash: A, chance: 25%}\n", 2000) {
		came += len(p.Faults)
		if len(p.Faults) == 0 && p.Drawn {
			empty++
		}
		for i := range p.Faults {
			if p.Faults[i].Drawn != 1 {
				t.Fatal("a fault with a chance does not count as drawn")
			}
		}
	}
	if came < 420 || came > 580 || came+empty != 2000 {
		t.Errorf("%d of 2000 were drawn, want about 500; %d plans are drawn and empty", came, empty)
	}
}

func TestWhatRepeatsIsDrawnEachTime(t *testing.T) {
	lengths, nths := map[time.Duration]bool{}, 0
	for _, p := range list(t, "  - {every: 500ms..1s, pause: the holder, for: 20ms..40ms}\n", 20) {
		last := time.Duration(0)
		if n := len(p.Faults); n < 25 || n > chaos.MostFaults {
			t.Errorf("%d faults", n)
		}
		for i := range p.Faults {
			f := &p.Faults[i]
			if gap := f.Trigger.At - last; gap < 500*time.Millisecond || gap > time.Second {
				t.Errorf("%v from one to the next", gap)
			}
			last = f.Trigger.At
			lengths[f.End.For] = true
		}
	}
	if len(lengths) < 15 {
		t.Errorf("%d lengths were drawn", len(lengths))
	}
	for _, p := range list(t, "  - {when: any client sends SET every time, chance: 10%, crash: that client}\n", 20) {
		for i := range p.Faults {
			nths += p.Faults[i].Trigger.Nth / max(i+1, 1)
		}
		if len(p.Faults) != chaos.MostFaults {
			t.Errorf("%d of the first 100,000 were drawn, want the most, %d", len(p.Faults), chaos.MostFaults)
		}
	}
	if mean := nths / (20 * chaos.MostFaults); mean < 8 || mean > 12 {
		t.Errorf("one of %d was drawn, want one of ten", mean)
	}
}

// Editing one fault of a list does not change the draws of the others.
func TestFaultsOfAListAreDrawnIndependently(t *testing.T) {
	const second = "  - {at: 3s..9s, pause: B, for: 1s..2s}\n"
	before := list(t, "  - {at: 1s..2s, crash: A}\n"+second, 20)
	after := list(t, "  - {at: 1s..2s, crash: A, chance: 50%}\n"+second, 20)
	for i := range before {
		last := func(p *plan.Plan) faults.Fault { return p.Faults[len(p.Faults)-1] }
		if a, b := last(before[i]), last(after[i]); a.Deed().English() != b.Deed().English() || a.Trigger != b.Trigger {
			t.Errorf("seed %d: %s became %s", i+1, a.Text, b.Text)
		}
	}
}

// The drawn faults survive being written as a scenario and read back.
func TestADrawnListIsAScenario(t *testing.T) {
	for _, p := range list(t, "  - {every: 500ms..1s, pause: the holder, for: \"p50 20ms, p99.9 4s\", chance: 50%}\n", 5) {
		again := scenariotest.Parse(t, p.File, scenario.Resolved(p))
		same := slices.EqualFunc(p.Faults, again.Faults, func(a, b faults.Fault) bool { return a.Text == b.Text })
		if !same {
			t.Error("what was drawn is read back as something else")
		}
	}
}
