package crosscheck_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

// other takes the place of the real world: it is the simulator, with differences.
type other struct {
	run.World
	lock string // played instead of what was asked for
	err  error
	dim  bool   // it is unknown whose entries its removals were
	from uint64 // the first seed of which lock and err are true
}

// alone in place of a lock plays the right one with a single client.
const alone = "alone"

func (o *other) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	if o.err != nil && seed >= o.from {
		return nil, o.err
	}
	if o.lock == alone && seed >= o.from {
		q := *p
		q.Clients = q.Clients[:1]
		return o.World.Play(ctx, &q, lock, seed)
	}
	if o.lock != "" && seed >= o.from {
		lock = o.lock
	}
	h, err := o.World.Play(ctx, p, lock, seed)
	if o.dim && err == nil {
		for i := range h.Events {
			if e := &h.Events[i]; e.Kind == history.Removed && e.Peer != 0 {
				e.Owner = 0
			}
		}
	}
	return h, err
}

func options(t *testing.T, lock, column string, real *other) crosscheck.Options {
	t.Helper()
	v, ok := locks.Lookup(lock)
	c, known := matrix.Lookup(column)
	if !ok || !known {
		t.Fatalf("there is no lock %s or no column %s", lock, column)
	}
	return crosscheck.Options{
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

func compare(t *testing.T, o crosscheck.Options) (*crosscheck.Comparison, *crosscheck.Cell) {
	t.Helper()
	c := must.Get(crosscheck.Compare(context.Background(), o))(t)
	return c, &c.Cells[0]
}

func TestTheSameWorldAgrees(t *testing.T) {
	c, cell := compare(t, options(t, "set-nx-lua", "GP", &other{}))
	if cell.Agreement != results.Agrees || cell.Simulated != checker.LetterV || !slices.Equal(cell.Pairs, []results.WorldRun{{Seed: 1, Simulated: "V", Real: "V", Agreement: results.Agrees}, {Seed: 2, Simulated: "V", Real: "V", Agreement: results.Agrees}}) {
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
	if c.Count(results.Agrees) != 1 || c.Count(results.Differs) != 0 {
		t.Error("the cells are counted wrongly")
	}
}

func TestFailoversAreTimed(t *testing.T) {
	c, cell := compare(t, options(t, "set-nx-lua", "FO", &other{}))
	if cell.Agreement != results.Agrees || len(c.Samples[0].Real.Failovers) == 0 {
		t.Errorf("%+v, failovers %v", cell, c.Samples[0].Real.Failovers)
	}
}

// A single seed that differs makes the cell differ; the others are counted.
func TestOneOfThreeDiffers(t *testing.T) {
	o := options(t, "set-nx-lua", "SL", &other{lock: "watchdog-lua", from: 3})
	o.Times = 3
	c, cell := compare(t, o)
	if cell.Agreement != results.Differs || cell.Agreeing() != 2 || cell.Shown().Seed != 3 || c.Count(results.Differs) != 1 {
		t.Errorf("%+v", cell)
	}
}

// seeded is a world whose lock depends on the seed: odd seeds play one lock and even seeds another.
type seeded struct{ *sim.World }

func (s seeded) Play(ctx context.Context, p *plan.Plan, _ string, seed uint64) (*history.History, error) {
	return s.World.Play(ctx, p, []string{"watchdog-lua", "set-nx-lua"}[seed%2], seed)
}

// A real run is compared with the simulated run of its own seed: where the letter
// depends on the seed, the same world agrees with itself.
func TestEachSeedWithItself(t *testing.T) {
	o := options(t, "set-nx-lua", "SL", nil)
	o.Sim = func() run.World { return seeded{sim.New()} }
	o.Real, o.Times = o.Sim, 4
	_, cell := compare(t, o)
	if cell.Agreement != results.Agrees || cell.Agreeing() != 4 {
		t.Errorf("%+v", cell)
	}
	if cell.Pairs[0].Simulated == cell.Pairs[1].Simulated {
		t.Errorf("the letter does not depend on the seed: %+v", cell.Pairs)
	}
}

func TestAgreementOfPairs(t *testing.T) {
	for _, tt := range []struct {
		simulated, real checker.Letter
		want            results.Agreement
	}{
		{"V", "V", results.Agrees},
		{"S", "L", results.Agrees},
		{"L", "S", results.Agrees},
		{"V", "VF", results.Differs},
		{"L", "D", results.Differs},
		{"S", "?", results.Untested},
		{"?", "V", results.Untested},
		{"?", "?", results.Untested}, // two runs that tested nothing agree on nothing
		{"VF", "V", results.Differs},
	} {
		if got := crosscheck.OfLetters(tt.simulated, tt.real, false).Agreement; got != tt.want {
			t.Errorf("simulated %s, real %s: %s, want %s", tt.simulated, tt.real, got, tt.want)
		}
	}
	for simulated, want := range map[checker.Letter]results.Agreement{"VF": results.Untested, "V": results.Agrees, "D": results.Differs} {
		if got := crosscheck.OfLetters(simulated, "V", true); got.Agreement != want || (got.Real == "V?") != (want == results.Untested) {
			t.Errorf("simulated %s, real V that may be VF: %+v, want %s", simulated, got, want)
		}
	}
}

// Real servers cannot repeat a script that depends on a request that etcd's client has cancelled,
// but one with the same outcome without it.
func TestWhatEtcdsClientTakesBackIsNotAskedFor(t *testing.T) {
	_, cell := compare(t, options(t, "etcd-mutex", "LD", &other{}))
	if cell.Simulated != checker.LetterDelay || !strings.Contains(cell.Why.English(), "a script with V was left out: a client gives up") {
		t.Errorf("%s, %s", cell.Simulated, cell.Why.English())
	}
	_, cell = compare(t, options(t, "etcd-txn", "PT", &other{}))
	if cell.Simulated != checker.LetterV || !cell.Why.Empty() {
		t.Errorf("%s, %s", cell.Simulated, cell.Why.English())
	}
}

func TestWhatIsNotPlayedSaysWhy(t *testing.T) {
	o := options(t, "set-nx-lua", "GP", &other{})
	o.Refuse = func(*plan.Plan, string) error { return errors.New("no such clock") }
	_, cell := compare(t, o)
	if cell.Agreement != results.NotPlayed || cell.Why.English() != "no such clock" || len(cell.Pairs) != 0 || cell.Simulated != checker.LetterV {
		t.Errorf("%+v", cell)
	}
	_, cell = compare(t, options(t, "lit-s2-units", "GP", &other{}))
	if cell.Agreement != results.NotPlayed || !strings.Contains(cell.Why.English(), "even without a fault") {
		t.Errorf("%+v", cell)
	}
}

// A script that no server can play so fast is played at full length.
func TestServersThatCannotLiveFaster(t *testing.T) {
	o := options(t, "set-nx-lua", "GP", &other{})
	o.ScalePPM = 500_000
	o.Refuse = func(p *plan.Plan, _ string) error {
		if p.Lease < 10*time.Second {
			return errors.New("too fast")
		}
		return nil
	}
	_, cell := compare(t, o)
	if cell.Agreement != results.Agrees || cell.ScalePPM != 1_000_000 || cell.Plan.Lease != 10*time.Second || !cell.Why.Empty() {
		t.Errorf("%+v", cell)
	}
}

// The first script of this cell is harmless, the last one makes a client wait.
func TestTheScriptThatDoesMostHarm(t *testing.T) {
	_, cell := compare(t, options(t, "setnx", "GP", &other{}))
	if cell.Simulated != checker.LetterDelay || cell.Script.English() != "A freezes when it has the reply of SETNX" {
		t.Errorf("%+v", cell)
	}
}

// If the script that does most harm cannot be played, a milder one is, and the cell says so.
func TestAMilderScriptIsNamed(t *testing.T) {
	o := options(t, "set-nx-ex-del", "GP", &other{})
	o.Refuse = func(p *plan.Plan, _ string) error {
		if text := p.Faults[0].Text; strings.Contains(text, "1400ms") || strings.Contains(text, "14s") { // long enough for the DEL of another's key
			return errors.New("not for 1400ms")
		}
		return nil
	}
	_, cell := compare(t, o)
	if cell.Agreement != results.Agrees || cell.Simulated != checker.LetterV || cell.Why.English() != "a script with VF was left out: not for 1400ms" {
		t.Errorf("%+v", cell)
	}
}

func TestARunThatFailsTestsNothing(t *testing.T) {
	_, cell := compare(t, options(t, "set-nx-lua", "GP", &other{err: errors.New("redis-1 ended by itself")}))
	if cell.Agreement != results.Untested || !strings.Contains(cell.Why.English(), "ended by itself") {
		t.Errorf("%+v", cell)
	}
}

// Distributions are compared, so a run counts in both worlds or in none.
func TestOnlyPairsAreTimed(t *testing.T) {
	untimed := map[string]*other{
		"no run":                {err: errors.New("redis-1 ended by itself"), from: 2},
		"a run without contest": {lock: alone, from: 2},
	}
	for name, real := range untimed {
		c, cell := compare(t, options(t, "set-nx-lua", "GP", real))
		if cell.Agreement != results.Untested || cell.Agreeing() != 1 {
			t.Errorf("%s: %+v", name, cell)
		}
		s := c.Samples[0]
		if len(s.Real.Waits) != 3 || len(s.Simulated.Waits) != 3 || len(s.Real.Holds) != len(s.Simulated.Holds) {
			t.Errorf("%s: %d simulated waits, %d real ones", name, len(s.Simulated.Waits), len(s.Real.Waits))
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := crosscheck.Compare(ctx, options(t, "set-nx-lua", "GP", &other{})); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted comparison returned %v", err)
	}
}

// Sentinels that judge after a tenth of a second would mistake a busy server for a dead one: their
// scripts are played slower than others, in both worlds.
func TestSentinelsHaveALeastScale(t *testing.T) {
	for column, want := range map[string]int64{"SB": 500_000, "GP": 100_000} {
		if _, cell := compare(t, options(t, "set-nx-lua", column, &other{})); cell.ScalePPM != want || cell.Plan.Lease != 10*time.Second*time.Duration(want)/1_000_000 {
			t.Errorf("%s is played at %d millionths, with a lease of %v, want %d", column, cell.ScalePPM, cell.Plan.Lease, want)
		}
	}
	o := options(t, "set-nx-lua", "SB", &other{})
	o.ScalePPM = 1_000_000
	if _, cell := compare(t, o); cell.ScalePPM != 1_000_000 {
		t.Errorf("at full time it is played at %d millionths", cell.ScalePPM)
	}
}

// A client of five nodes waits 5 ms for each at a tenth of the time. On a busy machine the reply
// that a fault is to drop may come later, and then the fault drops nothing.
func TestDroppedRepliesHaveALeastScale(t *testing.T) {
	for column, want := range map[string]int64{"LR": 200_000, "GP": 100_000} {
		if _, cell := compare(t, options(t, "redlock", column, &other{})); cell.ScalePPM != want {
			t.Errorf("%s is played at %d millionths, want %d", column, cell.ScalePPM, want)
		}
	}
}
