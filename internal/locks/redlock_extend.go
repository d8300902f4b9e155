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
// Guarantees: as redlock; in addition, work may last longer than the lease, up to about four of
// them, and a client that runs learns of its loss before another client can get the lock.
//
// Breaks when: the whole process freezes for longer than what is left of the
// validity, watchdog included; its work hangs, and so cannot notice the loss; nodes
// of the majority restart empty or their wall clocks jump: then another majority can
// be found, and the client learns of it only with its next extension.
//
// Source: Redis documentation, "Distributed Locks with Redis", making the algorithm more reliable:
// extending the lock; S0 "Distributed locks on Redis", lines 113-126, for the algorithm.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redlock-extend", Store: StoreRedisNodes, LeaseUnit: time.Millisecond, Watchdog: true,
		New: stateless(redlockExtend),
	})
}

// maxExtensions limits the attempts to extend a lease. The documentation demands a limit and
// gives no number.
const maxExtensions = 10

func redlockExtend(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	v, err := q.win(ctx, q.vote, q.all)
	if err != nil {
		return nil, err
	}
	lease := attendedBy(q.unlocks(v.token, q.Nodes))
	lease.attend(d.Env, ports.Watchdog, func(ctx context.Context) {
		q.extendUntilLost(ctx, v)
		if ctx.Err() == nil {
			lease.tellLost()
		}
	})
	return lease, nil
}

// extendUntilLost extends the lease until the watchdog is stopped or the lock is lost.
func (q quorum) extendUntilLost(ctx context.Context, v vote) {
	attempts, until := 0, v.until
	for q.Env.Mono() < until {
		if q.Env.Sleep(ctx, min(q.renewal(), until-q.Env.Mono())) != nil {
			return
		}
		if attempts == maxExtensions || q.Env.Mono() >= until {
			continue
		}
		attempts++
		t1 := q.Env.Mono()
		acks, refusals := q.extend(ctx, v.token)
		switch {
		case refusals > len(q.Nodes)-q.majority():
			return
		case acks >= q.majority() && q.Env.Mono() < until:
			until = t1 + q.Lease - q.drift()
		}
	}
}

// extend asks every node to set the time to live again, and counts those that did
// and those without the client's key.
func (q quorum) extend(ctx context.Context, token string) (acks, refusals int) {
	renew := redis.Eval(renewScript, q.Name).Text(token).Num(ports.Millis(q.Lease))
	for _, node := range q.Nodes {
		switch reply := q.ask(ctx, node, renew); {
		case reply.IsInt(1):
			acks++
		case reply.Err == nil:
			refusals++
		}
	}
	return acks, refusals
}
