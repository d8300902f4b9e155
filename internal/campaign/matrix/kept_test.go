package matrix

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"

	"lockstep/internal/campaign"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// counted counts the runs of all its worlds.
type counted struct {
	run.World
	runs *atomic.Int64
}

func (w counted) Play(ctx context.Context, p *plan.Plan, lock string, seed uint64) (*history.History, error) {
	w.runs.Add(1)
	return w.World.Play(ctx, p, lock, seed)
}

// An interrupted measurement goes on with the runs that it has kept, and has the same result. Kept runs are
// played again only if their scripts have changed.
func TestAnInterruptedMeasurementGoesOn(t *testing.T) {
	var runs, profiles atomic.Int64
	v, _ := locks.Lookup("set-nx-lua")
	o := Options{
		Seeds: 6, Jobs: 1, Backend: sim.Backend, Locks: []locks.Variant{v}, Columns: Columns(),
		Worlds:   func() run.World { return counted{sim.New(), &runs} },
		Profiles: func() run.World { return counted{sim.New(), &profiles} },
	}
	want := measured(t, o)
	all := runs.Swap(0)
	work := must.Get(campaign.NewWork("", "matrix", nil, nil))(t)
	o.Kept = must.Get(campaign.Open(filepath.Join(t.TempDir(), "cells"), work, 0))(t)
	defer o.Kept.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	o.Progress = func(done, _ int) {
		if done == 7 {
			interrupt()
		}
	}
	if _, err := Measure(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := runs.Swap(0)
	got := measured(t, o)
	if second := runs.Swap(0); first == 0 || second == 0 || first+second != all {
		t.Errorf("%d runs, and %d when it goes on; in one go %d", first, second, all)
	}
	if !reflect.DeepEqual(got.Measured(), want.Measured()) {
		t.Error("it goes on to another result")
	}
	o.Columns[0].sketch = func(s subject) []sketch {
		return append([]sketch{{name: say.Text("another script")}}, noFault(s)...)
	}
	changed := measured(t, o).Cell(0, 0)
	if again := runs.Swap(0); again != int64(changed.Runs+changed.Untested) {
		t.Errorf("%d runs where one cell has another script, which had %d", again, changed.Runs)
	}
	o.Seeds--
	measured(t, o)
	if again := runs.Swap(0); again < all/2 {
		t.Errorf("%d runs with fewer variations, and %d with all of them", again, all)
	}
}

func measured(t *testing.T, o Options) *Matrix {
	t.Helper()
	return must.Get(Measure(t.Context(), o))(t)
}
