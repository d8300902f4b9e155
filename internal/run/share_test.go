package run_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"lockstep/internal/run"
)

// closing is a world in which no run is played.
type closing struct {
	run.World
	name  string
	ended *atomic.Int64
}

func (c *closing) Close() { c.ended.Add(1) }

func TestShareDoesEverythingOnce(t *testing.T) {
	for _, jobs := range []int{0, 1, 3, 50} {
		var count [20]atomic.Int64
		var ended, begun atomic.Int64
		var told []int
		world := func(name string) run.Factory {
			return func() run.World { begun.Add(1); return &closing{name: name, ended: &ended} }
		}
		err := run.Share(context.Background(), jobs, len(count), func(done, all int) {
			told = append(told, done)
			if all != len(count) {
				t.Errorf("%d pieces in all", all)
			}
		}, func(_ context.Context, w []run.World, i int) error {
			if len(w) != 2 || w[0].(*closing).name != "first" || w[1].(*closing).name != "second" {
				t.Errorf("jobs %d: a worker has %v", jobs, w)
			}
			count[i].Add(1)
			return nil
		}, world("first"), world("second"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range count {
			if count[i].Load() != 1 {
				t.Errorf("jobs %d: piece %d was done %d times", jobs, i, count[i].Load())
			}
		}
		if begun.Load() != ended.Load() || begun.Load() == 0 || begun.Load() > 2*int64(len(count)) {
			t.Errorf("jobs %d: %d worlds were made, %d closed", jobs, begun.Load(), ended.Load())
		}
		if len(told) != len(count) || !slices.IsSorted(told) {
			t.Errorf("progress %v", told)
		}
	}
}

func TestShareEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var done atomic.Int64
	err := run.Share(context.Background(), 2, 1000, nil, func(_ context.Context, _ []run.World, i int) error {
		if i == 3 {
			return broken
		}
		done.Add(1)
		return nil
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done.Store(0)
	err = run.Share(ctx, 2, 1000, nil, func(context.Context, []run.World, int) error { done.Add(1); return nil })
	if !errors.Is(err, context.Canceled) || done.Load() != 0 {
		t.Errorf("interrupted before it began: %v after %d pieces", err, done.Load())
	}
}
