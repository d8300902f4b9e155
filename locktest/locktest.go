// Package locktest tests a distributed lock that is written in Go: your own, or the one that you
// import. The lock is unmodified. It runs with its goroutines, timers and client library in
// virtual time, against simulated servers, and the test plays stories to it: clients contend, one
// stands still for longer than its lease, a process dies, a reply is lost, a release comes late, a
// server restarts, a replica takes over.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Run(t, locktest.Redis{Nodes: 1}, func(c locktest.Client) locktest.Lock {
//			return adapter{mylock.New(c.Redis(), c.Key(), c.Lease())}
//		}, locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
//	}
//
// Each story is a subtest. It fails when the lock broke a promise that the test does not say it
// breaks (Breaks), when it kept one that the test says it breaks, and when the result is unknown: a
// run without contention, or one in which the fault changed nothing, is no evidence. A failure shows
// the story step by step, and where its report is.
//
// # What is repeatable
//
// By itself, `go test` is statistical: the servers, the network, the faults, the clients' habits
// and crypto/rand follow the seed, and Go's own scheduler does not. A failure is kept as a history,
// and its seed may need a few tries. `simulate test` runs the same tests with a Go runtime whose
// choices follow the seed, too.
//
// # What a pause is
//
// No process can be stopped from outside in the middle of its goroutines. A paused client stands
// still where it touches the world: nothing that it reads or writes comes back, and Acquire,
// Extend and Release return when the pause is over. Its timers go on firing meanwhile, and it
// shares one clock with all others: a lock that looks at the time after a pause sees the true
// one.
package locktest

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// Lock is one client's handle of the lock under test.
type Lock interface {
	// Acquire waits for the lock until ctx ends. An error means that the client does not have
	// it, as far as it knows; it tries again as long as it has time.
	Acquire(ctx context.Context) (Lease, error)
}

// Lease is the lock in the hands of a client that believes it holds it. A lease says by further
// methods what it can do beyond releasing: Extender, Fenced, Watched.
type Lease interface {
	// Release gives the lock back. nil: the store has confirmed it. ErrNotHeld, wrapped or not:
	// the store had no entry of this client. Any other error: the outcome is unknown.
	Release(ctx context.Context) error
}

// Extender is a Lease whose holder has to extend it. The client does so three times per lease
// while it works, and stops its work when the error is ErrNotHeld. Leave it out for a lock that
// renews its leases by itself.
type Extender interface {
	Extend(ctx context.Context) error
}

// Fenced is a Lease with a fencing token, which grows with each holder. The resource that the
// clients work on compares it.
type Fenced interface{ Token() int64 }

// Watched is a Lease that tells its holder of its loss by closing a channel. The client stops its
// work then.
type Watched interface{ Lost() <-chan struct{} }

// ErrNotHeld is what Release and Extend return when the store had no entry of this client.
var ErrNotHeld = locks.ErrNotHeld

// LockFunc is a Lock that is a function.
type LockFunc func(ctx context.Context) (Lease, error)

// Acquire calls the function.
func (f LockFunc) Acquire(ctx context.Context) (Lease, error) { return f(ctx) }

// LeaseFunc is a Lease that can be released and no more.
type LeaseFunc func(ctx context.Context) error

// Release calls the function.
func (f LeaseFunc) Release(ctx context.Context) error { return f(ctx) }

// NoLock is what to return instead of a lock that could not be made, say because its client did
// not reach a server. The next try of the client makes it again.
func NoLock(err error) Lock { return noLock{err} }

type noLock struct{ err error }

func (n noLock) Acquire(context.Context) (Lease, error) { return nil, n.err }

// Store is the servers behind the lock under test: Redis, or one of packages sqltest and etcdtest.
type Store interface{ Servers() bubble.Servers }

// Redis is one primary, with a replica in the stories that need one, or Nodes independent
// servers, as Redlock has them.
type Redis struct {
	Nodes int // 0 counts as 1
	// Replicas is how many the primary has in every story, for a lock that asks for them (WAIT): they are
	// 10 ms behind unless the story says otherwise. Several nodes have none.
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

// Run plays stories to a lock. newLock makes it for one client, in a goroutine of its own; a client
// that restarts after a crash gets another one. What it opens, it hands to Client.Cleanup, except
// for what Client.Redis made.
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
