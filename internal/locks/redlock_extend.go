// Lock redlock-extend
//
// Idea: ask for a short lease and extend it on a majority of the nodes while the
// work goes on. An extension is a vote like the first one.
//
// Protocol:
//  1. As redlock: t1; SET key token PX milliseconds NX on every node in turn; t2; a majority and a positive validity.
//  2. Every third of the lease, EVAL renew on every node in turn: GET key equals token -> PEXPIRE key milliseconds, 1; else 0.
//     Extended: a majority said 1 before the validity was over; it then counts from before the first of them was asked.
//  3. The lock is lost when the validity is over, or when so many nodes said 0 that the others are no majority.
//  4. After ten attempts there is no further one, so that a task that hangs cannot keep the lock for ever.
//  5. EVAL unlock on all nodes, after a lost vote and to release.
//
// Guarantees: as redlock; besides, work may last longer than the lease, up to about
// four of them, and a client that runs learns of its loss before another client can
// get the lock.
//
// Breaks when: the whole process freezes for longer than what is left of the
// validity, watchdog included; its work hangs, and so cannot hear of the loss; nodes
// of the majority restart empty or their wall clocks jump: then another majority can
// be found, and the client hears of it only with its next extension.
//
// Source: Redis documentation, "Distributed Locks with Redis", making the algorithm
// more reliable: extending the lock; S0 "Distributed locks on Redis", lines 113-126,
// for the algorithm.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redlock-extend", File: "redlock_extend.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond, Watchdog: true,
		New: func(d Deps) Lock { return &redlockExtend{quorum{d}} },
	})
}

// maxExtensions limits the attempts to extend a lease. The documentation demands a limit and
// gives no number.
const maxExtensions = 10

type redlockExtend struct{ quorum }

func (l *redlockExtend) Acquire(ctx context.Context) (Lease, error) {
	v, err := l.win(ctx, l.vote, l.all)
	if err != nil {
		return nil, err
	}
	return l.guard(v), nil
}

// guard starts the watchdog of a new lease.
func (l *redlockExtend) guard(v vote) Lease {
	lease := &extendedLease{quorumLease: quorumLease{quorum: l.quorum, token: v.token, on: l.Nodes}}
	lease.attend(l.Env, ports.Watchdog, func(ctx context.Context) {
		lease.watch(ctx, v.until)
		if ctx.Err() == nil {
			lease.tellLost()
		}
	})
	return lease
}

// extendedLease is a lease that a watchdog extends.
type extendedLease struct {
	quorumLease
	attended
}

// watch extends the lease until the watchdog is stopped or the lock is lost.
// until is the end of the validity on the client's monotonic clock.
func (l *extendedLease) watch(ctx context.Context, until time.Duration) {
	attempts := 0
	for l.Env.Mono() < until {
		if l.Env.Sleep(ctx, min(l.renewal(), until-l.Env.Mono())) != nil {
			return
		}
		if attempts == maxExtensions || l.Env.Mono() >= until {
			continue
		}
		attempts++
		t1 := l.Env.Mono()
		acks, refusals := l.extend(ctx)
		switch {
		case refusals > len(l.Nodes)-l.majority():
			return
		case acks >= l.majority() && l.Env.Mono() < until:
			until = t1 + l.Lease - l.drift()
		}
	}
}

// extend asks every node to set the time to live again, and counts those that did
// and those without the client's key.
func (l *extendedLease) extend(ctx context.Context) (acks, refusals int) {
	renew := redis.Eval(renewScript, l.Name).Text(l.token).Num(ports.Millis(l.Lease))
	for _, node := range l.Nodes {
		switch reply := l.ask(ctx, node, renew); {
		case reply.IsInt(1):
			acks++
		case reply.Err == nil:
			refusals++
		}
	}
	return acks, refusals
}

func (l *extendedLease) Release(ctx context.Context) error {
	l.stop()
	return l.quorumLease.Release(ctx)
}
