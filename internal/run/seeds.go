package run

import (
	"context"
	"sync"
	"sync/atomic"

	"lockstep/internal/plan"
)

// Seeds plays a plan with one lock and the seeds first .. first+count-1, on jobs
// workers with a world each. visit is called once per seed, from one goroutine
// at a time and in no particular order; the outcome's history is valid only
// during the call. Seeds returns the first error of a run that could not be
// played, or ctx's error.
//
// Seeds are handed out by a counter and results are told apart by their seed,
// so the number of workers changes the order of the visits and nothing else.
func Seeds(ctx context.Context, worlds Factory, p *plan.Plan, lock string, first uint64, count, jobs int,
	visit func(*Outcome),
) error {
	var (
		next   atomic.Int64
		mu     sync.Mutex
		failed error
		wg     sync.WaitGroup
	)
	for range min(max(jobs, 1), count) {
		wg.Go(func() {
			w := worlds()
			defer w.Close()
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(count) {
					return
				}
				out := One(ctx, w, p, lock, first+uint64(i))
				mu.Lock()
				if out.Err != nil && failed == nil {
					failed = out.Err
					next.Store(int64(count)) // the others finish what they have begun
				}
				if out.Err == nil {
					visit(&out)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	return ctx.Err()
}
