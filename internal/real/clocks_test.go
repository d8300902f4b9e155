package real_test

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

// The server finds A's lease over as soon as its clock is set.
func TestAServersClockJumps(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	for by, want := range map[time.Duration]int{2 * time.Second: 1, -2 * time.Second: 0} {
		t.Run(by.String(), func(t *testing.T) {
			p := quick("A", "B")
			p.Workload.Work = plan.Range{Min: 500 * time.Millisecond, Max: 500 * time.Millisecond}
			fault(t, p, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, by, faults.End{})
			h := run(t, p, "set-nx-lua")
			changed := find(h, history.ClockChanged, "redis-1")
			if len(changed) != 1 || changed[0].Value != int64(by) {
				t.Fatalf("the clock changed %d times", len(changed))
			}
			if got := overlaps(h); got != want {
				t.Errorf("%d overlaps, want %d", got, want)
			}
		})
	}
}

// A drift that ends leaves the clock where it has got to.
func TestAServersClockDrifts(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
	drift(p, "redis-1", 3_000_000, 300*time.Millisecond)
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.FaultEnded, "redis-1")) != 1 || overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one: A's second is over after 300 ms", overlaps(h))
	}
}

func drift(p *plan.Plan, node string, ppm int64, d time.Duration) {
	spec, _ := faults.Lookup("drift-clock")
	p.Faults = append(p.Faults, faults.Make(len(p.Faults)+1, spec,
		faults.Args{Value: node, Rates: map[string]int64{"rate": ppm}}, when(faults.InSection, "A", ""), faults.End{For: d}))
}

// Clients begin a fifth of a second apart on the wrong clock of the server that the
// plan gives it: entries last half as long as they should.
func TestAServersClockIsWrongFromTheBeginning(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
	p.Clocks = []plan.Clock{{Node: "redis-1", DriftPPM: 1_000_000}}
	if h := run(t, p, "set-nx-lua"); overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
}

// The client's own clock shows the step, true time does not.
func TestAClientsClockJumps(t *testing.T) {
	p := quick("A", "B")
	fault(t, p, when(faults.InSection, "A", ""), "jump-clock", "A", time.Hour, faults.End{})
	h := run(t, p, "set-nx-lua")
	changed := find(h, history.ClockChanged, "A")
	if len(changed) != 1 {
		t.Fatalf("the clock changed %d times", len(changed))
	}
	for _, e := range h.Events {
		if h.Name(e.Node) != "A" || e.Clock == 0 {
			continue
		}
		ahead := time.Duration(e.Clock) - e.At.Duration()
		if want := e.At >= changed[0].At; (ahead > 30*time.Minute) != want {
			t.Errorf("%v at %v: A's clock is %v ahead", e.Kind, e.At, ahead)
		}
	}
}

func TestAClientsClockDrifts(t *testing.T) {
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 400 * time.Millisecond, Max: 400 * time.Millisecond}
	drift(p, "A", 1_000_000, 10*time.Second)
	h := run(t, p, "set-nx-lua")
	acquired, releasing := find(h, history.Acquired, "A"), find(h, history.Releasing, "A")
	if len(acquired) != 1 || len(releasing) != 1 {
		t.Fatal("A did not hold once")
	}
	took := releasing[0].At.Sub(acquired[0].At)
	shown := time.Duration(releasing[0].Clock - acquired[0].Clock)
	if took > 300*time.Millisecond || shown < 350*time.Millisecond {
		t.Errorf("A worked for %v, and %v on its own clock, which ran twice as fast", took, shown)
	}
}

// Whoever comes back knows nothing, and begins from the beginning.
func TestAClientComesBack(t *testing.T) {
	p := quick("A", "B")
	p.Lease, p.Workload.Repeat = 300*time.Millisecond, 2
	p.Workload.Work = plan.Range{Min: 100 * time.Millisecond, Max: 100 * time.Millisecond}
	restart(t, p, "A", 400*time.Millisecond)
	h := run(t, p, "set-nx-lua")
	crashed, restarted := find(h, history.Crashed, "A"), find(h, history.Restarted, "A")
	if len(crashed) != 1 || len(restarted) != 1 {
		t.Fatalf("%d crashes, %d restarts", len(crashed), len(restarted))
	}
	if away := restarted[0].At.Sub(crashed[0].At); away < 400*time.Millisecond {
		t.Errorf("A was away for %v", away)
	}
	after := 0
	for _, e := range find(h, history.Released, "A") {
		if e.At > restarted[0].At {
			after++
		}
	}
	if after != 2 || len(find(h, history.Acquired, "A")) != 3 {
		t.Errorf("A released %d times after its return, want twice, and acquired %d times, want 3", after, len(find(h, history.Acquired, "A")))
	}
}
