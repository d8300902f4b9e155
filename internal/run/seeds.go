package run

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"lockstep/internal/plan"
)

// Seeds plays a plan with one lock and many seeds. visit is called once per seed, one call at a
// time and in no particular order; the history is valid only during the call.
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

// Share distributes n independent pieces of work among workers; jobs 0 means one per core. Each
// worker has its own worlds, one of each factory. progress, if not nil, is called with the number
// of finished pieces, one call at a time. The first error stops all workers and is returned; else
// ctx's.
func Share(ctx context.Context, jobs, n int, progress func(done, all int),
	work func(ctx context.Context, w []World, i int) error, worlds ...Factory,
) error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	take := func() int { return int(next.Add(1) - 1) }
	var mu sync.Mutex
	done := 0
	report := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, n)
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for range min(jobs, n) {
		wg.Go(func() {
			w := make([]World, len(worlds))
			for k, start := range worlds {
				w[k] = start()
				defer w[k].Close()
			}
			for i := take(); i < n && ctx.Err() == nil; i = take() {
				if err := work(ctx, w, i); err != nil {
					stop(err) // the first one counts
					return
				}
				report()
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
