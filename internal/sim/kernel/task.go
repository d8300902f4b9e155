package kernel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Task is a coroutine of a process: code that may park.
type Task struct {
	k    *Kernel
	proc *Proc
	name string
	job  func()
	with func(context.Context) // the job of a task started by Go, called with on
	on   context.Context

	seat     *seat // where its coroutine waits
	returned bool  // its coroutine has returned

	jobs      uint64 // how many it has ended
	gen       uint64 // counts spawns and waits; a Waker with an older one does nothing
	waiting   bool   // parked in wait and not woken yet
	reason    wakeReason
	timer     Timer
	ctx       *Ctx // registered as a waiter there; nil when not
	unwinding bool // the run is over: the task's next step panics
	listed    int  // index in Kernel.tasks
	joiners   []Waker
}

type wakeReason uint8

const (
	wokenBySource wakeReason = iota // by its Waker
	wokenByTimer
	wokenByContext
)

// killed is the panic that unwinds a task. It never leaves the package.
type killed struct{}

// Spawn starts a task of a process; it runs when the current step is over.
func (k *Kernel) Spawn(p *Proc, name string, job func()) *Task {
	t := k.spawn(p, name)
	t.job = job
	return t
}

// spawn starts a task whose job the caller sets.
func (k *Kernel) spawn(p *Proc, name string) *Task {
	t := k.coroutine()
	t.proc, t.name = p, name
	t.unwinding, t.waiting = false, false
	t.timer, t.ctx = Timer{}, nil // the last job may have been unwound in a wait
	t.joiners = t.joiners[:0]
	t.gen++
	t.listed = len(k.tasks)
	k.tasks = append(k.tasks, t)
	k.ready = append(k.ready, t)
	return t
}

// coroutine returns an idle coroutine, or a new one.
func (k *Kernel) coroutine() *Task {
	if n := len(k.idle); n > 0 {
		t := k.idle[n-1]
		k.idle = k.idle[:n-1]
		return t
	}
	t := &Task{k: k}
	t.seat = newSeat(t.runJobs)
	return t
}

// runJobs is the body of a coroutine.
func (t *Task) runJobs() {
	defer func() { t.returned = true }()
	for !t.k.closed {
		t.runJob()
		if next := t.k.successor(); next != t {
			t.giveWay(next)
		} else {
			t.k.cur = t // it has another job already
		}
	}
}

// runJob runs one job to its end, however it ends, and retires the task.
func (t *Task) runJob() {
	left := true // by runtime.Goexit, as t.FailNow does
	defer func() {
		switch r := recover().(type) {
		case nil:
			if left {
				t.k.fail(fmt.Errorf("task %s of %s left its goroutine at %v", t.name, t.proc.name, t.k.Now()))
			}
		case killed:
		default:
			t.k.panicked("task "+t.name+" of "+t.proc.name, r)
		}
		t.retire()
	}()
	if !t.unwinding { // else the run ended before the task's first step
		if t.job != nil {
			t.job()
		} else {
			t.with(t.on)
		}
	}
	left = false
}

func (t *Task) retire() {
	k := t.k
	t.job, t.with, t.on = nil, nil, nil
	t.jobs++
	t.gen++
	last := len(k.tasks) - 1
	k.tasks[t.listed] = k.tasks[last]
	k.tasks[t.listed].listed = t.listed
	k.tasks = k.tasks[:last]
	k.idle = append(k.idle, t)
	for _, w := range t.joiners {
		w.Wake()
	}
}

// unwind ends every task that has not returned. Deferred functions run, but their port calls
// panic, so they change nothing.
func (k *Kernel) unwind() {
	k.ending = true
	for len(k.tasks) > 0 {
		t := k.tasks[len(k.tasks)-1]
		t.unwinding = true
		k.cur = t
		t.seat.change(&k.root)
	}
	k.cur, k.ending = nil, false
}

// Enter must be the first call of every function that a task can call. It panics when the
// caller's process is dead, and outside of tasks.
func (k *Kernel) Enter() *Task {
	t := k.cur
	if t == nil {
		panic("kernel: a port was called from outside of a task of this kernel")
	}
	if t.unwinding || t.proc.dead {
		panic(killed{})
	}
	return t
}

// Checkpoint stops the running task if its own process has been frozen or killed. Worlds call it
// after a moment at which faults may have acted.
func (k *Kernel) Checkpoint() {
	t := k.Enter()
	if t.proc.frozen {
		t.proc.held = append(t.proc.held, t)
		k.park(t)
	}
}

// successor returns the task that runs after one that has ended; nil for the root.
func (k *Kernel) successor() *Task {
	if k.ending {
		return nil
	}
	return k.advance()
}

// giveWay switches to another task, nil for the root, and returns when it is t's
// turn again.
func (t *Task) giveWay(next *Task) {
	t.makeWay(next).change(&t.seat)
	t.isBack()
}

// makeWay says that next runs from now on, and returns its seat.
func (t *Task) makeWay(next *Task) *seat {
	t.k.cur = next
	if next == nil {
		return t.k.root
	}
	return next.seat
}

// isBack ends a task that was resumed out of turn: another task has left its goroutine, and the
// run has failed.
func (t *Task) isBack() {
	if t.k.cur != t && !t.k.closed {
		runtime.Goexit()
	}
}

// park suspends the task. It runs the event loop on the task's own stack, and switches only when
// another task is to run.
func (k *Kernel) park(t *Task) {
	if next := k.advance(); next != t {
		t.giveWay(next)
	}
	k.resume(t)
}

// resume is a task's first step after it was parked.
func (k *Kernel) resume(t *Task) {
	k.cur = t
	if t.unwinding || t.proc.dead {
		panic(killed{})
	}
}

// wait parks the running task until its Waker is used (nil), d of true time has passed (timeUp;
// negative d: no limit) or ctx ends (its error), whichever comes first.
//
// It is park inlined: each frame between a task's code and its switch costs one mispredicted
// return when the task comes back.
func (k *Kernel) wait(ctx context.Context, d time.Duration, timeUp error) error {
	t, c := k.Enter(), k.own(ctx)
	if c.err != nil {
		t.gen++ // a Waker for this wait must not end the next one
		return c.err
	}
	t.begin(c, d)
	if next := k.advance(); next != t {
		if s := t.makeWay(next); s.take(&t.seat) {
			s.next()
		} else {
			s.yield(struct{}{})
		}
		t.isBack()
	}
	k.resume(t)
	switch t.reason {
	case wokenByTimer:
		return timeUp
	case wokenByContext:
		return c.err
	}
	return nil
}

// begin registers the task with everything that may end its wait, except its Waker.
func (t *Task) begin(c *Ctx, d time.Duration) {
	if d >= 0 {
		t.timer = t.k.After(d, t, t.gen)
	}
	if c.canEnd() {
		c.addWaiter(t)
	}
	t.waiting = true
}

// Fire is the timer of a wait.
func (t *Task) Fire(gen uint64) {
	t.timer = Timer{} // it is no longer in the queue
	Waker{t, gen}.wake(wokenByTimer)
}

// Waker wakes one task out of one particular wait; see Kernel.Waker.
type Waker struct {
	t   *Task
	gen uint64
}

// Waker returns the waker of the running task for its next Await.
func (k *Kernel) Waker() Waker {
	t := k.Enter()
	return Waker{t, t.gen}
}

// Wake ends the wait, unless it is over.
func (w Waker) Wake() { w.wake(wokenBySource) }

// wake makes the task runnable, unless the wait is over.
func (w Waker) wake(reason wakeReason) {
	t := w.t
	if !t.waiting || t.gen != w.gen {
		return
	}
	t.gen++
	t.waiting = false
	t.reason = reason
	if t.timer != (Timer{}) {
		t.k.Cancel(t.timer)
		t.timer = Timer{}
	}
	if t.ctx != nil {
		t.ctx.removeWaiter(t)
	}
	t.k.ready = append(t.k.ready, t)
}

// ErrDeadline is returned by Await when its time is up.
var ErrDeadline = errors.New("time is up")

// Await parks the running task until its Waker is used (nil), d of true time
// has passed (ErrDeadline; negative d: no limit) or ctx ends (its error).
func (k *Kernel) Await(ctx context.Context, d time.Duration) error {
	return k.wait(ctx, d, ErrDeadline)
}

// Sleep waits for d of the process's own monotonic clock.
func (k *Kernel) Sleep(ctx context.Context, d time.Duration) error {
	return k.wait(ctx, k.Enter().proc.Clock.TrueFor(max(d, 0)), nil)
}

// Name returns the name that Spawn was given.
func (t *Task) Name() string { return t.name }

// Current returns the running task, nil outside of tasks.
func (k *Kernel) Current() *Task { return k.cur }

// Handle is a job of a task, to be joined. Coroutines are reused, so it names the job as well.
type Handle struct {
	t   *Task
	job uint64
}

// Go is Spawn for a job with a context. The handle is valid for the current run.
func (k *Kernel) Go(ctx context.Context, p *Proc, name string, job func(context.Context)) *Handle {
	t := k.spawn(p, name)
	t.with, t.on = job, ctx
	h := k.handles.Next()
	h.t, h.job = t, t.jobs
	return h
}

// Join waits until the task has returned.
func (h *Handle) Join(ctx context.Context) error {
	k := h.t.k
	w := k.Waker()
	if h.t.jobs != h.job {
		return nil
	}
	h.t.joiners = append(h.t.joiners, w)
	return k.Await(ctx, -1)
}

// Signal wakes tasks; see ports.Signal.
type Signal struct {
	k       *Kernel
	waiters []Waker
}

// NewSignal returns a signal.
func (k *Kernel) NewSignal() *Signal { return &Signal{k: k} }

// Wait blocks until the next Notify.
func (s *Signal) Wait(ctx context.Context) error {
	s.waiters = append(s.waiters, s.k.Waker())
	return s.k.Await(ctx, -1)
}

// Notify wakes all tasks that wait now.
func (s *Signal) Notify() {
	for _, w := range s.waiters {
		w.Wake()
	}
	s.waiters = s.waiters[:0]
}
