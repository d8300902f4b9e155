package talk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"lockstep/internal/locks"
)

// Words of err that mean something; any other one means that the outcome is unknown.
const (
	timedOut = "timeout"
	notHeld  = "not-held"
)

// initTime is what a program may take to start: a JVM on a busy machine needs that long.
const initTime = 45 * time.Second

// lock is locks.Lock over a program.
type lock struct {
	p      *Program
	name   string
	lease  time.Duration
	extend bool // the program wants to be asked to extend its lease
}

// Lock tells the program who it is and makes it a lock. servers are addresses, host:port; lease
// is what its entries are to live for. An error of the talk is that of Err; the program may
// also refuse.
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

// Acquire implements locks.Lock. How long ctx lasts is what the program is told; it is waited for
// beyond that, since it may hold the lock by then.
func (l *lock) Acquire(ctx context.Context) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	wait := max(until(ctx), time.Millisecond)
	select {
	case <-l.p.lost: // what was lost before is no news of this lease
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
	<-ctx.Done() // it gave up somewhat early, or its milliseconds are shorter than ours
	return nil, ctx.Err()
}

// lease is locks.Lease over a program.
type lease struct {
	l     *lock
	token int64
	lost  context.Context
	lose  context.CancelFunc
	done  chan struct{} // closed when it is to be released
	quiet chan struct{} // closed when it is not extended any more
	once  sync.Once
}

func newLease(l *lock, token int64) *lease {
	out := &lease{l: l, token: token, done: make(chan struct{}), quiet: make(chan struct{})}
	out.lost, out.lose = context.WithCancel(context.Background())
	go out.watch()
	return out
}

// watch waits for news of a loss, and extends the lease of a program that wants it, three
// times as often as it has to.
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
				return // the talk is over, and all callers are told
			}
			if !*a.OK && a.Err == notHeld {
				s.lose()
				return
			}
		}
	}
}

// Release implements locks.Lease.
func (s *lease) Release(context.Context) error {
	s.once.Do(func() { close(s.done) })
	<-s.quiet // an extension that came later would be one of nothing
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

// Lost implements locks.Lease.
func (s *lease) Lost() context.Context { return s.lost }

// Token implements locks.Lease.
func (s *lease) Token() int64 { return s.token }
