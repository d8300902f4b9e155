package bubble

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"lockstep/internal/locks"
	"lockstep/internal/ports"
)

// Lock acquires the lock under test for one client. It is called in a goroutine of its own.
type Lock func(ctx context.Context) (Lease, error)

// Lease is a hold of the lock under test. Only Release is required.
type Lease struct {
	Release func(ctx context.Context) error // locks.ErrNotHeld: there was nothing to release
	Extend  func(ctx context.Context) error // nil: it cannot, or the lock does so automatically
	Token   int64                           // 0: it has none
	Lost    <-chan struct{}                 // closed when the lock is known to be lost; nil: it does not report that
}

// heartbeats is the number of extensions within one lease.
const heartbeats = 3

// lock implements locks.Lock by a lock that is real code: each call runs in a goroutine, and
// the kernel's task waits for it.
type lock struct {
	client *Client
	make   func(*Client) (Lock, error)
	life   context.Context // ends with the run

	made Lock // nil before the first Acquire, which makes it in its goroutine
}

// Acquire implements locks.Lock.
func (l *lock) Acquire(ctx context.Context) (locks.Lease, error) {
	limited, cancel := context.WithTimeout(l.life, l.client.deps.Wait)
	defer cancel()
	var got Lease
	name := "Acquire"
	if l.made == nil {
		name = "what makes the lock, or the first Acquire,"
	}
	err := l.do(ctx, cancel, name, func() (err error) {
		if l.made == nil {
			if l.made, err = l.make(l.client); err != nil {
				return err
			}
		}
		got, err = l.made(limited)
		return err
	}, func() { _ = got.Release(l.life) })
	if err != nil {
		l.client.world.refuses(err)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return l.begin(got), nil
}

// call is one call of the lock under test. The kernel reads the results of its goroutine after
// the goroutine has posted that it is done.
type call struct {
	done bool
	wake func()
	err  error
	late func() // undoes a success after the caller has given up; nil while it waits
}

// do calls the lock in a goroutine and waits for it. When ctx ends, it cancels the call and waits
// a little more: a call that ignores its context continues, and is undone if it succeeds later.
func (l *lock) do(ctx context.Context, cancel func(), name string, f func() error, undo func()) error {
	c := &call{}
	begin := func(wake func()) {
		c.wake = wake
		go l.perform(c, name, f)
	}
	err := l.client.guest.Await(ctx, -1, begin)
	if err == nil {
		return c.err
	}
	cancel()
	if !c.done {
		env := l.client.deps.Env
		_ = l.client.guest.Await(env.Background(), l.client.deps.Timeout, func(wake func()) { c.wake = wake })
	}
	if c.done {
		return c.err
	}
	c.late = undo
	return fmt.Errorf("%s has not returned %v after its context ended: it does not look at it", name, l.client.deps.Timeout)
}

// perform runs in the goroutine of a call.
func (l *lock) perform(c *call, name string, f func() error) {
	err := fmt.Errorf("%s has left its goroutine, as runtime.Goexit and t.FailNow do", name)
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s of client %s has panicked: %v\n%s", name, l.client.Name(), v, panickedAt(string(debug.Stack())))
			l.client.world.panics(err)
		}
		l.client.post(func() {
			c.done, c.err = true, err
			if c.late != nil && err == nil {
				go c.late()
				return
			}
			c.wake()
		})
	}()
	err = f()
}

// panickedAt returns the part of a stack that led to the recovered panic.
func panickedAt(stack string) string {
	if _, below, ok := strings.Cut(stack, "\npanic("); ok {
		_, stack, _ = strings.Cut(below, "\n") // the arguments of panic
		_, stack, _ = strings.Cut(stack, "\n") // the position of panic
	}
	above, _, _ := strings.Cut(stack, "\nlockstep/internal/bubble.(*lock)")
	return above
}

// lease implements locks.Lease by a Lease.
type lease struct {
	Lease
	lock *lock

	lost      context.Context // ends when the lock is known to be lost; nil if it never reports that
	lose      context.CancelFunc
	releasing bool
	released  chan struct{}
	once      sync.Once
	heart     ports.Task // nil: the lease is not extended
	stopHeart context.CancelFunc
}

// begin returns a new lease, with a heartbeat if it can be extended.
func (l *lock) begin(got Lease) *lease {
	env := l.client.deps.Env
	out := &lease{Lease: got, lock: l, released: make(chan struct{})}
	if got.Lost != nil || got.Extend != nil {
		out.lost, out.lose = env.WithCancel(env.Background())
	}
	if got.Lost != nil {
		go out.listen()
	}
	if got.Extend != nil {
		var ctx context.Context
		ctx, out.stopHeart = env.WithCancel(env.Background())
		out.heart = env.Go(ctx, ports.Watchdog, out.extend)
	}
	return out
}

// listen passes on the loss of the lock.
func (l *lease) listen() {
	select {
	case <-l.Lease.Lost:
		l.lock.client.post(func() {
			if !l.releasing {
				l.lose()
			}
		})
	case <-l.released:
	case <-l.lock.life.Done():
	}
}

// extend is the heartbeat of a lease, as a program runs it during its work.
func (l *lease) extend(ctx context.Context) {
	env := l.lock.client.deps.Env
	for env.Sleep(ctx, l.lock.client.deps.Lease/heartbeats) == nil {
		limited, cancel := context.WithCancel(l.lock.life)
		err := l.lock.do(ctx, cancel, "Extend", func() error { return l.Extend(limited) }, func() {})
		cancel()
		if errors.Is(err, locks.ErrNotHeld) {
			l.lose()
			return
		}
	}
}

// Lost implements locks.Lease.
func (l *lease) Lost() context.Context { return l.lost }

// Token implements locks.Lease.
func (l *lease) Token() int64 { return l.Lease.Token }

// Release implements locks.Lease.
func (l *lease) Release(ctx context.Context) error {
	l.releasing = true
	l.once.Do(func() { close(l.released) })
	if l.heart != nil {
		l.stopHeart()
		_ = l.heart.Join(ctx)
	}
	limited, cancel := context.WithTimeout(l.lock.life, releaseTime*l.lock.client.deps.Timeout)
	defer cancel()
	err := l.lock.do(ctx, cancel, "Release", func() error { return l.Lease.Release(limited) }, func() {})
	if errors.Is(err, locks.ErrNotHeld) {
		return locks.ErrNotHeld
	}
	return err
}

// releaseTime bounds a release, in response timeouts.
const releaseTime = 20
