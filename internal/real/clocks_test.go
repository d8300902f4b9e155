package real_test

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

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
