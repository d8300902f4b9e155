package run_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"lockstep/internal/run"
)

func TestShareDoesEverythingOnce(t *testing.T) {
	for _, jobs := range []int{0, 1, 3, 50} {
		var count [20]atomic.Int64
		var ended, begun atomic.Int64
		var told []int
		err := run.Share(context.Background(), jobs, len(count), func(done, all int) {
			told = append(told, done)
			if all != len(count) {
				t.Errorf("%d pieces in all", all)
			}
		}, func() (func(context.Context, int) error, func()) {
			begun.Add(1)
			return func(_ context.Context, i int) error { count[i].Add(1); return nil }, func() { ended.Add(1) }
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range count {
			if count[i].Load() != 1 {
				t.Errorf("jobs %d: piece %d was done %d times", jobs, i, count[i].Load())
			}
		}
		if begun.Load() != ended.Load() || begun.Load() == 0 || begun.Load() > int64(len(count)) {
			t.Errorf("jobs %d: %d workers began, %d ended", jobs, begun.Load(), ended.Load())
		}
		if len(told) != len(count) || !slices.IsSorted(told) {
			t.Errorf("progress %v", told)
		}
	}
}

func TestShareEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	var done atomic.Int64
	err := run.Share(context.Background(), 2, 1000, nil, func() (func(context.Context, int) error, func()) {
		return func(_ context.Context, i int) error {
			if i == 3 {
				return broken
			}
			done.Add(1)
			return nil
		}, func() {}
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	done.Store(0)
	err = run.Share(ctx, 2, 1000, nil, func() (func(context.Context, int) error, func()) {
		return func(context.Context, int) error { done.Add(1); return nil }, func() {}
	})
	if !errors.Is(err, context.Canceled) || done.Load() != 0 {
		t.Errorf("interrupted before it began: %v after %d pieces", err, done.Load())
	}
}
