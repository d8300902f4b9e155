// Package ports has everything that a lock may use.
//
// A lock is blocking Go code that reads like the document it comes from. It uses its process (Env)
// and its store (store.Port): no goroutines, channels, sync, time.Now or math/rand, no client
// library. So one source runs in all worlds.
package ports

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Env is one client process: its clocks, its tasks, its random numbers. All contexts that are
// passed to ports come from Env: Background, WithTimeout, WithCancel or the argument of a task. A
// port panics on any other, whose end the simulator would not see.
//
// Only one task of a process runs at a time, until it waits in a port. So tasks may share
// variables.
type Env interface {
	// Now is the local wall clock: it may be offset, drift and be stepped.
	Now() time.Time
	// Mono is the local monotonic clock: it may drift, but is never stepped.
	Mono() time.Duration
	// Sleep waits for d on the local monotonic clock. It returns ctx.Err() if ctx ends first.
	Sleep(ctx context.Context, d time.Duration) error
	// Background is the context of the process: it never ends.
	Background() context.Context
	// WithTimeout derives a context that ends after d on the local monotonic clock.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// WithCancel derives a context that ends when cancel is called.
	WithCancel(ctx context.Context) (context.Context, context.CancelFunc)
	// Go starts a task of this process. The commands of a task named Watchdog count as renewals.
	Go(ctx context.Context, name string, f func(ctx context.Context)) Task
	// NewSignal makes a signal between tasks of this process.
	NewSignal() Signal
	// Rand is this process's source of random numbers.
	Rand() Rand
	// Crash ends the process at once, like an unrecovered panic. It does not return.
	Crash(reason string)
}

// Watchdog is the name of the task that renews a lease in the background.
const Watchdog = "watchdog"

// Task is a running task.
type Task interface {
	// Join waits until the task has returned; ctx.Err() when ctx ends first.
	Join(ctx context.Context) error
}

// Signal wakes tasks of the same process. A notification is lost when no task waits, as with a
// condition variable.
type Signal interface {
	// Wait blocks until the next Notify; ctx.Err() when ctx ends first.
	Wait(ctx context.Context) error
	// Notify wakes all tasks that wait now.
	Notify()
}

// Rand draws integers. There are no floats: they would differ between builds.
type Rand interface {
	// Uint64 returns 64 random bits.
	Uint64() uint64
	// Int64N returns a number in [0, n); n must be positive.
	Int64N(n int64) int64
}

// Resource is what the lock guards: a version counter on a server that no fault affects. It may
// check fencing tokens (see plan.Fence).
type Resource interface {
	// Read returns the version. token is the fencing token of the lease, 0 for none.
	Read(ctx context.Context, token int64) (version int64, err error)
	// Write stores a value computed from the version that Read returned. It returns ErrFenced when
	// the resource refused the token.
	Write(ctx context.Context, token, basedOn int64) error
}

// Errors that ports return, besides the errors of a context.
var (
	// ErrTimeout: no reply in time. The command may have been executed, or may still be.
	ErrTimeout = errors.New("no reply within the response timeout")
	// ErrConnection: the connection broke before the reply. The command may have been executed.
	ErrConnection = errors.New("connection lost")
	// ErrFenced: the resource refused a read or write because of its token.
	ErrFenced = errors.New("refused by the fence")
)

// Seconds returns a duration as whole seconds; it panics on a fraction.
func Seconds(d time.Duration) int64 { return whole(d, time.Second) }

// Millis returns a duration as whole milliseconds; it panics on a fraction.
func Millis(d time.Duration) int64 { return whole(d, time.Millisecond) }

func whole(d, unit time.Duration) int64 {
	if d%unit != 0 {
		panic(fmt.Sprintf("%v is not a whole number of %v: the registry should have refused it", d, unit))
	}
	return int64(d / unit)
}
