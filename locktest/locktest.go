// Package locktest tests a distributed lock that is written in Go: your own, or the one that you
// import. The lock is unmodified. It runs with its goroutines, timers and client library in
// virtual time, against simulated servers, and the test plays stories: clients contend, a client is
// paused for longer than its lease, a process dies, a reply is lost, a release arrives late, a
// server restarts, a replica takes over.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Run(t, locktest.Redis{Nodes: 1}, func(c locktest.Client) locktest.Lock {
//			return adapter{mylock.New(c.Redis(), c.Key(), c.Lease())}
//		}, locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
//	}
//
// adapter has one method, Acquire, which returns a lease with one method, Release: see Lock, Lease,
// LockFunc and LeaseFunc. A lease that can be extended, has a fencing token, or reports its own
// loss has a method for that: see Extender, Fenced and Watched.
//
// Each story is a subtest. It fails when the lock breaks a property unexpectedly, when it keeps one
// that it is expected to break (Breaks), and when the result is unknown: a run without contention,
// or whose fault changed nothing, proves nothing. A failure shows the story step by step, where its
// report is, and how to play it again. With -v, a passing test says what it has tried, and what it
// has not.
//
// docs/own-lock.md of lockstep describes the stories, and packages sqltest, etcdtest and natstest
// have other stores than Redis.
//
// # Environment
//
//	LOCKSTEP_SEED     the first seed, 1 by default
//	LOCKSTEP_REPORTS  the folder of the reports, lockstep-reports below that of the test by default
//
// # What is repeatable
//
// With `go test`, the servers, the network, the faults, the workload and crypto/rand follow the
// seed, but Go's scheduler does not. A failure is stored with its history, but its seed may need a
// few attempts to repeat it. `simulate test` runs the same tests with a Go runtime whose choices
// also follow the seed.
//
// # What a pause is
//
// The goroutines of a client cannot be stopped from outside. A paused client is stopped where it
// communicates: its reads block, what it sends waits, and Acquire, Extend and Release return when the
// pause is over. Its timers keep firing meanwhile, and all clients share one clock: a lock that reads the
// time after a pause sees the true time.
package locktest

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// Lock is one client's handle on the lock under test.
type Lock interface {
	// Acquire waits for the lock until ctx ends, or for a shorter time of its own; it may also try only
	// once. After an error the client believes that it does not hold the lock, and tries again while
	// it has time. A client makes one call at a time, unless one ignores that its context has ended.
	// ctx also ends when Acquire returns: renewals and transactions need another one.
	Acquire(ctx context.Context) (Lease, error)
}

// Lease is a lock in the hands of a client, from the return of Acquire to the call of Release. It may
// also implement Extender, Fenced and Watched.
type Lease interface {
	// Release releases the lock. nil: the store has confirmed it. ErrNotHeld, wrapped or not: the
	// store had no entry of this client. Any other error: the outcome is unknown.
	Release(ctx context.Context) error
}

// Extender is a Lease whose holder has to extend it. The client does so three times per lease
// while it works, and stops its work when the error is ErrNotHeld, wrapped or not. Leave it out for
// a lock that renews its leases by itself.
type Extender interface {
	Extend(ctx context.Context) error
}

// Fenced is a Lease with a fencing token, which is greater than 0 and grows with each holder. The
// resource that the clients work on compares it.
type Fenced interface{ Token() int64 }

// Watched is a Lease that closes a channel when it is lost. The client then stops its work.
type Watched interface{ Lost() <-chan struct{} }

// ErrNotHeld is returned by Release and Extend when the store had no entry of this client.
var ErrNotHeld = locks.ErrNotHeld

// LockFunc is a Lock that is a function.
type LockFunc func(ctx context.Context) (Lease, error)

// Acquire calls the function.
func (f LockFunc) Acquire(ctx context.Context) (Lease, error) { return f(ctx) }

// LeaseFunc is a Lease that is a function to release it.
type LeaseFunc func(ctx context.Context) error

// Release calls the function.
func (f LeaseFunc) Release(ctx context.Context) error { return f(ctx) }

// NoLock returns a placeholder for a lock that could not be made, for instance because its client
// did not reach a server. The client's next attempt calls newLock again.
func NoLock(err error) Lock { return noLock{err} }

type noLock struct{ err error }

func (n noLock) Acquire(context.Context) (Lease, error) { return nil, n.err }

// Store describes the servers behind the lock under test: Redis, or one of packages sqltest,
// etcdtest and natstest.
type Store interface{ Servers() bubble.Servers }

// Redis is one primary, with a replica in the stories that need one, or Nodes independent
// servers, as Redlock has them.
type Redis struct {
	// Nodes is the number of independent servers; 0 counts as 1.
	Nodes int
	// Replicas is the number of the primary's replicas in every story, for a lock that waits for
	// them (WAIT). They are 10 ms behind unless the story says otherwise. With Nodes there are
	// none.
	Replicas int
}

// replicaLag is the lag of replicas that only Redis.Replicas asks for.
const replicaLag = 10 * time.Millisecond

// Servers implements Store.
func (r Redis) Servers() bubble.Servers {
	if r.Nodes > 1 {
		return bubble.Servers{Store: locks.StoreRedisNodes, Nodes: r.Nodes, Port: 6379}
	}
	return bubble.Servers{Store: locks.StoreRedis, Port: 6379, Set: func(p *plan.Plan) {
		if r.Replicas > 0 && p.Redis.Replicas == 0 {
			p.Redis.Lag = replicaLag
		}
		p.Redis.Replicas = max(p.Redis.Replicas, r.Replicas)
	}}
}

// Run plays stories with a lock: the usual ones and a walk (see Walk), or those that Stories names.
// First comes a rehearsal without faults, which finds out where the lock keeps its entry, and whether
// that keeps other clients out.
//
// newLock makes the lock of one client, in a goroutine of its own, and again in each run and when the
// client restarts after a crash. It registers with Client.Cleanup how to close whatever it opens,
// except clients from Client.Redis, and may return NoLock.
//
// Run cannot be part of a parallel test: a bubble of testing/synctest has its own time, but
// crypto/rand is global.
func Run(t *testing.T, store Store, newLock func(Client) Lock, options ...Option) {
	t.Helper()
	s := newSuite(t, store, newLock, options)
	if s == nil || !s.rehearse(t) {
		return
	}
	for _, p := range s.plans {
		t.Run(p.Slug, func(t *testing.T) { s.story(t, p) })
	}
	if s.walk {
		t.Run("walk", s.walkAll)
	}
	s.conclude(t)
}
