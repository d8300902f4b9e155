package talk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lockstep/internal/locks"
)

// Values of err with a meaning; any other one means that the outcome is unknown.
const (
	timedOut = "timeout"
	notHeld  = "not-held"
)

// initTime bounds the start of a program: a JVM on a busy machine needs that long.
const initTime = 45 * time.Second

// lock is locks.Lock over a program.
type lock struct {
	p      *Program
	name   string
	lease  time.Duration
	extend bool // the program wants extend questions
}

// Lock initializes the program and makes a lock of it. servers are addresses, host:port; lease is
// the time to live of its entries. The error is that of Err.
func (p *Program) Lock(client, name string, servers []string, lease time.Duration) (locks.Lock, error) {
	a, err := p.ask(question{Op: "init", Client: client, Servers: servers, LeaseMS: lease.Milliseconds()}, initTime)
	if err == nil && !*a.OK {
		err = p.fail(fmt.Errorf("%w: it refuses init: %s", ErrAnswer, because(a)))
	}
	if err != nil {
		return nil, err
	}
	return &lock{p, name, lease, a.Extend}, nil
}

// because is the reason of an answer that is not ok.
func because(a answer) string {
	if a.Detail == "" {
		return shown([]byte(a.Err))
	}
	return shown([]byte(a.Err + ": " + a.Detail))
}

// Acquire implements locks.Lock. The program gets the time until the deadline of ctx. Acquire waits
// longer for its answer, since the program may hold the lock by then.
func (l *lock) Acquire(ctx context.Context) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wait := max(until(ctx), time.Millisecond)
	select {
	case <-l.p.lost: // an earlier lease was lost
	default:
	}
	a, err := l.p.ask(question{Op: "acquire", Name: l.name, WaitMS: wait.Milliseconds()}, wait)
	switch {
	case err != nil:
		return nil, err
	case *a.OK:
		return newLease(l, a.Token), nil
	case a.Err != timedOut:
		return nil, errors.New(because(a))
	}
	<-ctx.Done() // the program may have timed out slightly early
	return nil, ctx.Err()
}

// lease is locks.Lease over a program.
type lease struct {
	l     *lock
	token int64
	lost  context.Context
	lose  context.CancelFunc
	done  chan struct{} // closed by Release
	quiet chan struct{} // closed after the last extension
	once  sync.Once
}

func newLease(l *lock, token int64) *lease {
	out := &lease{l: l, token: token, done: make(chan struct{}), quiet: make(chan struct{})}
	out.lost, out.lose = context.WithCancel(context.Background())
	go out.watch()
	return out
}

// watch waits for a loss, and extends the lease of a program that wants it, three times per lease.
func (s *lease) watch() {
	defer close(s.quiet)
	var due <-chan time.Time
	if s.l.extend && s.l.lease > 0 {
		ticker := time.NewTicker(max(s.l.lease/3, time.Millisecond))
		defer ticker.Stop()
		due = ticker.C
	}
	for {
		select {
		case <-s.done:
			return
		case <-s.l.p.lost:
			s.lose()
			return
		case <-due:
			a, err := s.l.p.ask(question{Op: "extend"}, 0)
			if err != nil {
				return // the talk is over, which all callers learn
			}
			if !*a.OK && a.Err == notHeld {
				s.lose()
				return
			}
		}
	}
}

func (s *lease) Release(context.Context) error {
	s.once.Do(func() { close(s.done) })
	<-s.quiet // an extension must not follow the release
	a, err := s.l.p.ask(question{Op: "release"}, 0)
	switch {
	case err != nil:
		return err
	case *a.OK:
		return nil
	case a.Err == notHeld:
		return locks.ErrNotHeld
	}
	return errors.New(because(a))
}

func (s *lease) Lost() context.Context { return s.lost }
func (s *lease) Token() int64          { return s.token }
