package run

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Share hands out n pieces of work, which must not depend on each other, to workers;
// jobs 0 stands for one for each core. Each worker begins with start, which returns
// what it does with a piece and how it ends. Who does what depends on chance, so a
// piece belongs to its place in a result and to no worker.
//
// progress, if not nil, is told how many pieces are done, one call at a time. The
// first error ends the work of all and is returned; else ctx's.
func Share(ctx context.Context, jobs, n int, progress func(done, all int), start func() (work func(ctx context.Context, i int) error, end func())) error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	s := sharing{n: n, progress: progress}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var wg sync.WaitGroup
	for range min(jobs, n) {
		wg.Go(func() {
			work, end := start()
			defer end()
			for i := s.take(); i < n && ctx.Err() == nil; i = s.take() {
				if err := work(ctx, i); err != nil {
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
