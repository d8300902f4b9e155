package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
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
	want, err := Measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := runs.Swap(0)
	var kept []Kept
	interrupted := errors.New("interrupted")
	o.Keep = func(k Kept) error {
		data, err := json.Marshal(k)
		if err != nil {
			return err
		}
		kept = append(kept, Kept{})
		if err := json.Unmarshal(data, &kept[len(kept)-1]); err != nil {
			return err
		}
		if len(kept) == 7 {
			return interrupted
		}
		return nil
	}
	if _, err := Measure(t.Context(), o); !errors.Is(err, interrupted) {
		t.Fatalf("%v, want %v", err, interrupted)
	}
	first := runs.Swap(0)
	o.Kept = append([]Kept{}, kept...)
	got, err := Measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if second := runs.Swap(0); first == 0 || second == 0 || first+second != all {
		t.Errorf("%d runs, and %d when it goes on; in one go %d", first, second, all)
	}
	if !reflect.DeepEqual(got.Measured(), want.Measured()) {
		t.Error("it goes on to another result")
	}
	o.Keep = nil
	for what, change := range map[string]func(k *Kept){
		"scripts": func(k *Kept) { k.Scripts = append([]string{"another script"}, k.Scripts[1:]...) },
		"seeds":   func(k *Kept) { k.Seeds-- },
	} {
		o.Kept = append([]Kept{}, kept...)
		change(&o.Kept[0])
		if _, err := Measure(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if again := runs.Swap(0); again != int64(o.Kept[0].Record.Runs+o.Kept[0].Record.Untested) {
			t.Errorf("%d runs where one cell has other %s, which had %d", again, what, o.Kept[0].Record.Runs)
		}
	}
}
