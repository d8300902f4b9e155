package libraries_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
	"lockstep/internal/run"
)

// Clients of the live world are this program once more.
func TestMain(m *testing.M) {
	real.WorkerMain()
	os.Exit(m.Run())
}

// atATenth is the scale of the comparison.
const atATenth = 100_000

// TestCompare plays the scripts of one library in virtual time and on real servers, and stores the
// results beside the measurements. It is for `make libraries`.
func TestCompare(t *testing.T) {
	if *compare == "" {
		t.Skip("make libraries compares")
	}
	for _, program := range []string{"redis-server", "etcd"} {
		realtest.Need(t, program)
	}
	out := read(t, *compare)
	if out == nil {
		t.Fatalf("%s is not measured in virtual time yet: TestMeasure does that", *compare)
	}
	o := real.Options{Backend: real.ProcessBackend, ScalePPM: atATenth}
	var kept *crosscheck.Kept
	var err error
	if *keep != "" {
		if kept, err = crosscheck.OpenKept(*keep, o.Backend, o.ScalePPM); err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
	}
	columns := matrix.Columns()
	if *only != "" {
		columns = slices.DeleteFunc(columns, func(c matrix.Column) bool { return !slices.Contains(strings.Split(*only, ","), c.Code) })
	}
	c, err := crosscheck.Compare(t.Context(), crosscheck.Options{
		Locks: variants(*compare), Columns: columns, Kept: kept, Sim: inBubbles(t), RefuseSim: refuse,
		Real: func() run.World { return &real.Player{Options: o} }, Backend: o.Backend, ScalePPM: atATenth, Times: *times, Jobs: *jobs,
		Refuse: func(p *plan.Plan, lock string) error { return real.Refuse(p, lock, o) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if *only == "" {
		out.Worlds = c.Measured()
		store(t, out)
	}
	for i := range c.Cells {
		if one := &c.Cells[i]; one.Agreement != results.Agrees {
			t.Logf("%s: %s: %v %s", one.Fault, one.Agreement, one.Pairs, one.Why.English())
		}
	}
}
