package chaos_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/chaos"
	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// verbs are the names of all verbs.
func verbs() (all []string) {
	for _, spec := range faults.All() {
		all = append(all, spec.Name)
	}
	return all
}

// everything draws from all verbs.
var everything = `scenario: x
locks: [set-nx-lua, watchdog-lua]
lease: 2s
clients: [A, B, C, D]
workload: {repeat: 10 times, work: 500ms..1500ms, retry: 50ms}
servers: {redis: {replicas: 1, lag: 10ms}}
chaos:
  pick from: [` + strings.Join(verbs(), ", ") + `]
  every: 500ms..2s
  heal: 5s before the end
`

func TestEveryVerbIsDrawn(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", everything)
	drawn := map[string]int{}
	for seed := uint64(1); seed <= 300; seed++ {
		for _, f := range chaos.Draw(p, seed).Faults {
			drawn[f.Verb.Name()]++
		}
	}
	for _, name := range verbs() {
		if drawn[name] < 20 {
			t.Errorf("%s was drawn %d times", name, drawn[name])
		}
	}
}

// Drawn faults satisfy the file's limits, and form an ordinary scenario.
func TestDrawsKeepTheirPromises(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", everything)
	end := p.WorkEnd() - p.Chaos.Heal
	subsets := map[string]bool{}
	for seed := uint64(1); seed <= 500; seed++ {
		d := chaos.Draw(p, seed)
		if len(d.Faults) == 0 || d.Chaos != nil {
			t.Fatalf("seed %d: %d faults, chaos %v", seed, len(d.Faults), d.Chaos)
		}
		if again := chaos.Draw(p, seed); !reflect.DeepEqual(d, again) {
			t.Fatalf("seed %d draws something else the second time", seed)
		}
		kinds, takeovers, lasting := map[string]bool{}, 0, map[string]bool{}
		for _, f := range d.Faults {
			spec := f.Spec()
			kinds[spec.Name] = true
			if f.Trigger.At+f.End.For > end {
				t.Errorf("seed %d: %s lasts beyond %v", seed, f.Text, end)
			}
			if f.End.Forever || f.End.For > p.Chaos.For.Max {
				t.Errorf("seed %d: %s lasts too long", seed, f.Text)
			}
			if chaos.TakesOver(spec) {
				takeovers++
			}
			if spec.Lasting {
				lasting[f.Target] = true
			}
		}
		if takeovers > 1 || len(lasting) > len(p.Clients)-chaos.LeastClients {
			t.Errorf("seed %d: %d takeovers, ended for good: %v", seed, takeovers, lasting)
		}
		subsets[strings.Join(slices.Sorted(maps.Keys(kinds)), " ")] = true
		again := scenariotest.Parse(t, "x.yaml", scenario.Resolved(d))
		for i := range again.Faults {
			again.Faults[i].Line = 0
		}
		if !reflect.DeepEqual(again.Faults, d.Faults) {
			t.Fatalf("seed %d: as a file it is another plan:\n%+v\n%+v", seed, again.Faults, d.Faults)
		}
	}
	if len(subsets) < 300 {
		t.Errorf("500 seeds have %d different subsets of kinds only", len(subsets))
	}
}

// A replay of one lock of a file draws the same faults as a run of all its locks.
func TestTheLockDoesNotChangeTheStorm(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", everything)
	one := *p
	one.Locks = []string{"watchdog-lua"}
	for seed := uint64(1); seed <= 50; seed++ {
		if !reflect.DeepEqual(chaos.Draw(p, seed).Faults, chaos.Draw(&one, seed).Faults) {
			t.Fatalf("seed %d draws other faults for one lock alone", seed)
		}
	}
}

// The draws of one seed are pinned: changing them changes the meaning of every seed that a user has
// noted.
func TestKnownDraws(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", `scenario: x
locks: [redlock]
lease: 1s
clients: [A, B]
workload: {repeat: 10 times, work: 500ms}
chaos: {pick from: [pause, partition, restart, delay], every: 1s..3s, heal: 2s before the end}
`)
	var got []string
	for _, f := range chaos.Draw(p, 5).Faults {
		got = append(got, f.Text)
	}
	want := []string{
		"delay reply by 1976ms when any client is about to send any command the 10th time",
		"pause the holder for 1430ms at 4980ms",
		"pause redis-4 for 1080ms at 6750ms",
	}
	must.Slices(t, got, want)
}

// A fault that is drawn for a time after the end of its run makes the run inconclusive. Runs end
// early when clients give up or die, yet such faults must stay rare.
func TestStormsEndBeforeTheirRuns(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", `scenario: x
locks: [set-nx-lua, setnx-expire, redisson, mysql-for-update]
lease: 2s
clients: [A, B, C, D, E]
workload: {repeat: 6 times, wait: up to 600ms, work: 500ms..1500ms, retry: 50ms}
chaos: {pick from: [pause, delay, drop, partition, crash, slow], every: 300ms..1s, for: 100ms..1s, heal: 0s before the end}
`)
	w := sim.New()
	defer w.Close()
	for _, lock := range p.Locks {
		lost := 0
		for seed := uint64(1); seed <= 80; seed++ {
			out := run.One(context.Background(), w, p, lock, seed)
			if slices.ContainsFunc(out.Judgement.Faults, func(f checker.FiredFault) bool { return f.Times == 0 }) {
				lost++
			}
		}
		if lost > 2 {
			t.Errorf("%s: %d storms of 80 have a fault that never fired", lock, lost)
		}
	}
}

// Leaving out a fault changes nothing before its beginning: no stream of random numbers depends on
// the number of faults.
func TestAFaultLeftOutDisturbsNothingBefore(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", everything)
	p.Chaos.From = []string{"jump-clock", "pause", "partition", "slow"} // all of them at instants
	for seed := uint64(1); seed <= 20; seed++ {
		all := chaos.Draw(p, seed)
		last := len(all.Faults) - 1
		less := all.WithFaults(all.Faults[:last])
		a, b := play(t, all, seed), play(t, less, seed)
		at := history.Instant(all.Faults[last].Trigger.At)
		for i := 0; i < len(a.Events) && a.Events[i].At < at; i++ {
			x, y := a.Events[i], b.Events[i]
			x.Text, y.Text = 0, 0 // numbers of texts, which depend on the faults' texts
			if x != y || a.Text(a.Events[i].Text) != b.Text(b.Events[i].Text) {
				t.Fatalf("seed %d: event %d at %v differs: %+v and %+v", seed, i, x.At, x, y)
			}
		}
	}
}

func play(t *testing.T, p *plan.Plan, seed uint64) *history.History {
	t.Helper()
	return must.Get(sim.Run(p, p.Locks[0], seed))(t)
}

// A world refuses a plan whose faults are not drawn; package run draws them.
func TestAWorldRefusesChaos(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", everything)
	if _, err := sim.Run(p, p.Locks[0], 1); err == nil {
		t.Error("the simulator plays a plan whose faults are not drawn")
	}
	w := sim.New()
	defer w.Close()
	if out := run.One(context.Background(), w, p, p.Locks[0], 1); out.Err != nil || len(out.Judgement.Faults) == 0 {
		t.Errorf("run draws nothing: %v, %d faults", out.Err, len(out.Judgement.Faults))
	}
}

// A scaled plan draws the same faults at scaled times.
func TestDrawsScale(t *testing.T) {
	p := scenariotest.Parse(t, "x.yaml", everything)
	fast := p.Scaled(100_000)
	a, b := chaos.Draw(p, 3).Faults, chaos.Draw(&fast, 3).Faults
	if len(a) != len(b) {
		t.Fatalf("%d faults, %d when scaled", len(a), len(b))
	}
	for i := range a {
		near := a[i].Trigger.At/10 - b[i].Trigger.At
		if a[i].Verb.Name() != b[i].Verb.Name() || a[i].Target != b[i].Target || near.Abs() > 20*time.Millisecond {
			t.Errorf("%s became %s", a[i].Text, b[i].Text)
		}
	}
}

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
		if a, b := last(before[i]), last(after[i]); a.Action().English() != b.Action().English() || a.Trigger != b.Trigger {
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
