package worlds_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
	"lockstep/internal/worlds"
)

// other is a real world to be compared with, made of the simulator.
type other struct {
	run.World
	lock string // played instead of what was asked for
	err  error
}

func (o *other) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	if o.err != nil {
		return nil, o.err
	}
	if o.lock != "" {
		lock = o.lock
	}
	return o.World.Play(ctx, p, lock, seed)
}

func options(t *testing.T, lock, column string, real *other) worlds.Options {
	t.Helper()
	v, ok := locks.Lookup(lock)
	c, known := matrix.Lookup(column)
	if !ok || !known {
		t.Fatalf("there is no lock %s or no column %s", lock, column)
	}
	return worlds.Options{
		Locks: []locks.Variant{v}, Columns: []matrix.Column{c}, Backend: "process", ScalePPM: 100_000, Times: 2,
		Sim: func() run.World { return sim.New() },
		Real: func() run.World {
			w := *real
			w.World = sim.New()
			return &w
		},
		Refuse: func(*plan.Plan, string) error { return nil },
	}
}

func compare(t *testing.T, o worlds.Options) (*worlds.Comparison, *worlds.Cell) {
	t.Helper()
	c, err := worlds.Compare(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c, c.Cell(0, 0)
}

func TestTheSameWorldAgrees(t *testing.T) {
	c, cell := compare(t, options(t, "set-nx-lua", "GP", &other{}))
	if cell.Agreement != worlds.Agrees || cell.Simulated != checker.LetterV || !slices.Equal(cell.Real, []checker.Letter{"V", "V"}) {
		t.Errorf("%+v", cell)
	}
	if cell.Plan == nil || cell.Plan.Lease.Seconds() != 1 {
		t.Error("the plan is not the scaled one")
	}
	s := c.Samples[0]
	if len(s.Real.Waits) == 0 || !slices.Equal(s.Real.Waits, s.Simulated.Waits) || !slices.Equal(s.Real.Holds, s.Simulated.Holds) {
		t.Errorf("the same world has other times: %v and %v", s.Real.Waits, s.Simulated.Waits)
	}
	if len(s.Real.Waits) != 2*3 { // two runs, three clients: the probe plays no round
		t.Errorf("%d waits", len(s.Real.Waits))
	}
	if !slices.IsSorted(s.Real.Waits) || s.Lock != "set-nx-lua" {
		t.Errorf("%+v", s)
	}
	if c.Count(worlds.Agrees) != 1 || c.Count(worlds.Differs) != 0 {
		t.Error("the cells are counted wrongly")
	}
}

func TestFailoversAreTimed(t *testing.T) {
	c, cell := compare(t, options(t, "set-nx-lua", "FO", &other{}))
	if cell.Agreement != worlds.Agrees || len(c.Samples[0].Real.Failovers) == 0 {
		t.Errorf("%+v, failovers %v", cell, c.Samples[0].Real.Failovers)
	}
}

// Where a lock behaves otherwise on real servers, the comparison says so.
func TestAnotherOutcomeDiffers(t *testing.T) {
	_, cell := compare(t, options(t, "set-nx-lua", "SL", &other{lock: "watchdog-lua"}))
	if cell.Agreement != worlds.Differs || cell.Simulated != checker.LetterV || slices.Contains(cell.Real, checker.LetterV) {
		t.Errorf("%+v", cell)
	}
}

func TestWhatIsNotPlayedSaysWhy(t *testing.T) {
	o := options(t, "set-nx-lua", "GP", &other{})
	o.Refuse = func(*plan.Plan, string) error { return errors.New("no such clock") }
	_, cell := compare(t, o)
	if cell.Agreement != worlds.NotPlayed || cell.Why != "no such clock" || len(cell.Real) != 0 || cell.Simulated != checker.LetterV {
		t.Errorf("%+v", cell)
	}
	_, cell = compare(t, options(t, "lit-s2-units", "GP", &other{}))
	if cell.Agreement != worlds.NotPlayed || !strings.Contains(cell.Why, "even without a fault") {
		t.Errorf("%+v", cell)
	}
}

// The first script of this cell is harmless, the last one makes somebody wait.
func TestTheScriptThatDoesMostHarm(t *testing.T) {
	_, cell := compare(t, options(t, "setnx", "GP", &other{}))
	if cell.Simulated != checker.LetterDelay || cell.Script != "A freezes when it has the reply of SETNX" {
		t.Errorf("%+v", cell)
	}
}

// When the script that does most harm cannot be played, a milder one is taken, and
// the cell says so.
func TestAMilderScriptIsNamed(t *testing.T) {
	o := options(t, "set-nx-ex-del", "GP", &other{})
	o.Refuse = func(p *plan.Plan, _ string) error {
		if strings.Contains(p.Faults[0].Text, "1200ms") { // long enough for the DEL of another's key
			return errors.New("not for 1200ms")
		}
		return nil
	}
	_, cell := compare(t, o)
	if cell.Agreement != worlds.Agrees || cell.Simulated != checker.LetterV || cell.Why != "a script with VF was left out: not for 1200ms" {
		t.Errorf("%+v", cell)
	}
}

func TestARunThatFailsTestsNothing(t *testing.T) {
	_, cell := compare(t, options(t, "set-nx-lua", "GP", &other{err: errors.New("redis-1 ended by itself")}))
	if cell.Agreement != worlds.Untested || !strings.Contains(cell.Why, "ended by itself") {
		t.Errorf("%+v", cell)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := worlds.Compare(ctx, options(t, "set-nx-lua", "GP", &other{})); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted comparison returned %v", err)
	}
}
