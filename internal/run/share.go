package run

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Share hands out n pieces of work, which must not depend on each other, to workers;
// jobs 0 stands for one for each core. Each worker has worlds of its own, one of each
// factory in their order. Who does what depends on chance, so a piece belongs to its
// place in a result and to no worker.
//
// progress, if not nil, is called with how many pieces are done, one call at a time. The
// first error ends the work of all and is returned; else ctx's.
func Share(ctx context.Context, jobs, n int, progress func(done, all int),
	work func(ctx context.Context, w []World, i int) error, worlds ...Factory,
) error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	s := sharing{n: n, progress: progress}
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
			for i := s.take(); i < n && ctx.Err() == nil; i = s.take() {
				if err := work(ctx, w, i); err != nil {
					stop(err) // the first one counts
					return
				}
				s.tell()
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// sharing is what the workers have in common.
type sharing struct {
	next atomic.Int64

	mu       sync.Mutex
	done, n  int
	progress func(done, all int)
}

// take returns the next piece, or one that there is not.
func (s *sharing) take() int { return int(s.next.Add(1) - 1) }

func (s *sharing) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if s.progress != nil {
		s.progress(s.done, s.n)
	}
}
