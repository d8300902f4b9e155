// Package kernel runs the simulated world: one thread, true time that jumps
// from event to event, and tasks that are written as ordinary blocking code.
//
// Handlers are callbacks that fire at an instant and never block: a message arrives, a lease ends.
// Tasks are coroutines that park until something wakes them: the code of a lock. Events are ordered
// by (instant, order of scheduling), so the same seed gives the same run on any machine.
//
//	k, p := kernel.New(), &kernel.Proc{}
//	k.Begin(p, "A", kernel.Clock{})
//	k.Spawn(p, "main", func() {
//		k.Sleep(p.Background(), time.Second)
//	})
//	err := k.Run(0, nil) // true time is 1 s now
//
// Coroutines are pooled and switched by iter.Pull (see seat). A task that parks runs the event loop
// on its own stack, so a switch is needed only when another task runs next.
package kernel

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"lockstep/internal/history"
)

// Handler is a callback of the kernel. number is what was passed to At or After: it takes the place
// of a closure, which would have to be allocated.
type Handler interface {
	Fire(number uint64)
}

// HandlerFunc adapts a function, for rare events where an allocation is fine.
type HandlerFunc func()

// Fire calls the function.
func (f HandlerFunc) Fire(uint64) { f() }

// Kernel is one simulated world's time and tasks. It must be used from one goroutine.
type Kernel struct {
	queue   queue
	ready   []*Task // woken, in the order of waking; those before readyAt have run
	readyAt int
	cur     *Task   // the task whose code runs, nil in handlers outside of tasks
	root    *seat   // where the goroutine that called Run waits
	tasks   []*Task // all that are not idle
	idle    []*Task // coroutines waiting for a job
	ctxs    Arena[Ctx]
	handles Arena[Handle]
	events  int64
	limit   int64        // of events
	look    func() error // see Run
	looksAt int64        // the number of events at which the limit is looked at, and look is called
	halted  bool         // Halt was called, or something failed
	ending  bool         // tasks are being unwound: each gives way to the root
	closed  bool         // coroutines are to return
	pacer   Pacer        // nil: true time jumps
	firing  bool         // a handler runs, or is about to
	failed  error
}

// New returns an empty kernel at instant 0.
func New() *Kernel { return &Kernel{} }

// Reset ends all tasks and goes back to instant 0, for another run. Coroutines and buffers are
// kept.
func (k *Kernel) Reset() {
	k.unwind()
	k.events, k.limit, k.look, k.looksAt = 0, 0, nil, 0
	k.halted, k.firing, k.failed, k.pacer = false, false, nil, nil
	k.queue.reset()
	k.ready, k.readyAt = k.ready[:0], 0
	k.cur = nil
	k.ctxs.Reset()
	k.handles.Reset()
}

// Close ends all coroutines. The kernel cannot be used afterwards.
func (k *Kernel) Close() {
	k.unwind()
	k.closed = true
	for _, t := range k.idle {
		if !t.returned { // otherwise it has given up its seat to one of those before it
			t.seat.change(&k.root)
		}
	}
	k.idle = nil
}

// Now returns true time.
func (k *Kernel) Now() history.Instant { return k.queue.now }

// At schedules a handler; an instant in the past means now.
func (k *Kernel) At(at history.Instant, h Handler, number uint64) Timer {
	return k.queue.push(at, h, number)
}

// After schedules a handler d from now, in true time.
func (k *Kernel) After(d time.Duration, h Handler, number uint64) Timer {
	return k.queue.push(k.Now().Add(d), h, number)
}

// Cancel removes a scheduled handler, unless it has fired or was removed.
func (k *Kernel) Cancel(t Timer) { k.queue.cancel(t) }

// ErrTooManyEvents is returned by Run when the limit of events is exceeded.
var ErrTooManyEvents = errors.New("the run exceeds the limit of events")

// lookEvery is how many events fire between two looks: few enough to end a run in time, and enough
// for the looks to cost nothing.
const lookEvery = 4096

// Run fires events and runs tasks until nothing is left to do or Halt is called. limit caps the
// number of events; 0 means no cap. look, which may be nil, is called every lookEvery events, and
// its error ends the run. So does a panic in a handler or a task, returned with its stack.
func (k *Kernel) Run(limit int64, look func() error) error {
	k.limit, k.look = limit, look
	if limit == 0 {
		k.limit = math.MaxInt64 - lookEvery
	}
	k.looksAt = min(k.limit+1, lookEvery)
	if t := k.advance(); t != nil {
		k.cur = t
		t.seat.change(&k.root) // back when no task is left that could run
	}
	return k.failed
}

// Halt ends Run as soon as the current handler or task step is over.
func (k *Kernel) Halt() { k.halted = true }

// advance fires events until a task can run, and returns that task; nil when nothing is left or the
// run is halted. It may run on the stack of a parking task, whose frames the panic of a handler
// must not unwind.
func (k *Kernel) advance() (t *Task) {
	k.cur = nil
	k.firing = true
	defer k.catch()
	for !k.halted {
		if len(k.ready) > 0 {
			if t = k.takeReady(); t != nil {
				break
			}
		}
		if k.pacer != nil && k.receive() {
			continue
		}
		if k.queue.empty() {
			break
		}
		k.fireNext()
	}
	k.firing = false
	return t
}

// catch turns the panic of a handler into the end of the run.
func (k *Kernel) catch() {
	if k.firing { // else there is no panic, and recover is not free
		k.firing = false
		k.panicked("a handler", recover())
	}
}

// panicked ends the run with a panic, or with what the model of a server does not cover.
func (k *Kernel) panicked(where string, with any) {
	if _, ok := with.(interface{ NotModelled() }); ok {
		k.fail(fmt.Errorf("at %v: %v: the run says nothing", k.Now(), with))
		return
	}
	k.fail(fmt.Errorf("panic in %s at %v: %v\n%s", where, k.Now(), with, debug.Stack()))
}

func (k *Kernel) fireNext() {
	due := k.queue.pop()
	k.events++
	if k.events >= k.looksAt && !k.mayGoOn() {
		return
	}
	due.h.Fire(due.number)
}

// mayGoOn checks the limit of events, calls look, and schedules the next check.
func (k *Kernel) mayGoOn() bool {
	if k.events > k.limit {
		k.fail(fmt.Errorf("%w (%d) at %v", ErrTooManyEvents, k.limit, k.Now()))
		return false
	}
	if k.look != nil {
		if err := k.look(); err != nil {
			k.fail(err)
			return false
		}
	}
	k.looksAt = min(k.limit+1, k.events+lookEvery)
	return true
}

// takeReady returns the next woken task whose process runs. Tasks of a frozen process are kept for
// its thaw; those of a dead one stay parked until the run is unwound.
func (k *Kernel) takeReady() *Task {
	for len(k.ready) > 0 {
		t := k.ready[k.readyAt]
		if k.readyAt++; k.readyAt == len(k.ready) {
			k.ready, k.readyAt = k.ready[:0], 0
		}
		switch {
		case t.proc.dead:
		case t.proc.frozen:
			t.proc.held = append(t.proc.held, t)
		default:
			return t
		}
	}
	return nil
}

func (k *Kernel) fail(err error) {
	if k.failed == nil {
		k.failed = err
	}
	k.halted = true
}
