package run

import (
	"context"
	"sync"

	"lockstep/internal/plan"
)

// Seeds plays a plan with one lock and the seeds first .. first+count-1, on jobs workers with a
// world each. visit is called once per seed, from one goroutine at a time and in no particular
// order; the outcome's history is valid only during the call. Seeds returns the first error of a
// run that could not be played, or ctx's error.
func Seeds(ctx context.Context, worlds Factory, p *plan.Plan, lock string, first uint64, count, jobs int,
	visit func(*Outcome),
) error {
	var mu sync.Mutex
	return Share(ctx, max(jobs, 1), count, nil, func(ctx context.Context, w []World, i int) error {
		out := One(ctx, w[0], p, lock, first+uint64(i))
		if out.Err != nil {
			return out.Err
		}
		mu.Lock()
		defer mu.Unlock()
		visit(&out)
		return nil
	}, worlds)
}
