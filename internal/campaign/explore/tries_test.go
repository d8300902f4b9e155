package explore

import (
	"context"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// lucky is a world in which the faults of a plan come about every third time only.
type lucky struct {
	World
	played int
}

func (w *lucky) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	if w.played++; w.played%3 != 0 {
		without := *p
		without.Faults = nil
		p = &without
	}
	return w.World.Play(ctx, p, lock, seed)
}

// A schedule is tried until its faults have come about, no more often than asked for, and counts once.
func TestTries(t *testing.T) {
	o := options(t, "set-nx-lua", 1, "pause", "evict")
	o.In = []string{plainProfile}
	all := walked(t, o)
	want := all.Locks[0].Stages[0].tally
	o.Worlds = func() World { return &lucky{World: world()} }
	once := walked(t, o)
	if got := once.Locks[0].Stages[0].tally; got.Walked != want.Walked || got.NoEffect < want.Walked/2 {
		t.Errorf("once: %+v, and where all faults come about %+v", got, want)
	}
	o.Tries = 3
	tried := walked(t, o)
	if got := tried.Locks[0].Stages[0].tally; got != want || want.Walked < 20 {
		t.Errorf("three times: %+v, and where all faults come about %+v", got, want)
	}
	for _, way := range checker.Ways() {
		if got, want := len(sets(tried, way)), len(sets(all, way)); got != want {
			t.Errorf("%s: %d sets, and where all faults come about %d", way, got, want)
		}
	}
	r, err := tried.Result(&o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Scope.Tries != 3 || len(r.Locks[0].Breaks[checker.Overlap.String()]) == 0 {
		t.Errorf("%d tries, %v", r.Scope.Tries, r.Locks[0].Breaks)
	}
	o.Tries = 0
	if _, err := tried.Result(&o); err == nil {
		t.Error("a story in which no fault comes about is told")
	}
}
