package worker

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/real/osproc"
	"lockstep/internal/real/proto"
	"lockstep/internal/rng"
)

// clock is the wall clock and the monotonic clock of a client: the host's monotonic clock,
// which all processes share, made wrong as the plan and the faults demand.
type clock struct {
	wrong atomic.Pointer[proto.Clock]
	// Set once, before the workload begins.
	zero  time.Duration // true time 0 on osproc's clock
	epoch time.Time     // what a right wall clock shows at true time 0
}

// now returns the true time.
func (c *clock) now() time.Duration { return osproc.Now() - c.zero }

// shown returns the current error of the clocks.
func (c *clock) shown() proto.Clock {
	if wrong := c.wrong.Load(); wrong != nil {
		return *wrong
	}
	return proto.Clock{}
}

// wall returns what the wall clock shows at a true time, counted from the epoch.
func (c *clock) wall(at time.Duration) time.Duration { return c.shown().Wall(at) }

// env is ports.Env on the operating system: real contexts, real goroutines.
type env struct {
	w    *worker
	rand ports.Rand
}

func newEnv(w *worker, purpose string) *env {
	return &env{w: w, rand: newRand(w.start.Seed, purpose)}
}

func (e *env) Now() time.Time {
	clock := &e.w.clock
	return clock.epoch.Add(clock.wall(clock.now()))
}

func (e *env) Mono() time.Duration { return e.w.clock.shown().Mono(e.w.clock.now()) }

func (e *env) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !e.w.turns.sleep(e.w.clock.shown().Lasts(d), ctx.Done()) {
		return ctx.Err()
	}
	return nil
}

func (e *env) Background() context.Context { return context.Background() }

func (e *env) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, e.w.clock.shown().Lasts(d))
}

func (e *env) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// taskName is the key of a task's name in its contexts: the port needs to know whether a
// command is a renewal.
type taskName struct{}

func taskOf(ctx context.Context) string {
	name, _ := ctx.Value(taskName{}).(string)
	return name
}

func (e *env) Go(ctx context.Context, name string, f func(ctx context.Context)) ports.Task {
	t := &task{turns: &e.w.turns, done: make(chan struct{})}
	go func() {
		t.turns.take()
		defer t.turns.give()
		defer close(t.done)
		f(context.WithValue(ctx, taskName{}, name))
	}()
	return t
}

func (e *env) NewSignal() ports.Signal { return &signal{turns: &e.w.turns, wake: make(chan struct{})} }

func (e *env) Rand() ports.Rand { return e.rand }

// Crash implements ports.Env with the exit code of a Go panic.
func (e *env) Crash(reason string) {
	e.w.send(proto.Up{Kind: proto.Dies, Text: reason})
	fmt.Fprintln(os.Stderr, "panic:", reason)
	os.Exit(2)
}

type task struct {
	turns *turns
	done  chan struct{}
}

func (t *task) Join(ctx context.Context) error { return wait(ctx, t.turns, t.done) }

// signal wakes all waiting tasks by closing a channel, which it then replaces.
type signal struct {
	turns *turns
	mu    sync.Mutex
	wake  chan struct{}
}

func (s *signal) Wait(ctx context.Context) error {
	s.mu.Lock()
	wake := s.wake
	s.mu.Unlock()
	return wait(ctx, s.turns, wake)
}

func (s *signal) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.wake)
	s.wake = make(chan struct{})
}

func wait(ctx context.Context, t *turns, done <-chan struct{}) error {
	defer t.leave()()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// newRand returns the stream of random integers for one purpose: a lock that draws more must not
// change the workload. Tasks draw while they have the turn.
func newRand(seed uint64, purpose string) ports.Rand { return rng.Plain(seed, rng.ID(purpose)) }
