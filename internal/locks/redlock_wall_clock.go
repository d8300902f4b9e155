// Lock redlock-wall-clock
//
// Idea: Redlock with the two timestamps that the documents take, and the comparison that
// they make of them.
//
// Protocol:
//  1. t1: the current time, on the wall clock, in milliseconds.
//  2. SET key token PX milliseconds NX on every node in turn, each for a small part of the lease.
//  3. t2: the current time. Held: N/2+1 nodes said OK, and t2 - t1 is less than the lease.
//  4. Else EVAL unlock on all nodes, and again after a random delay.
//  5. To release, EVAL unlock on all nodes: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as redlock, while the client's clock is not set and runs as fast as those of
// the nodes.
//
// Breaks when: as redlock; in addition, the wall clock is set back while the client asks: the time
// that has passed is hidden, and a majority counts whose entries have run out. And when the clock
// is a little slow, the last moment of the lease on it lies behind the end of the lease on the
// nodes, because nothing is allowed for the difference.
//
// Source: S0 "Distributed locks on Redis", lines 118-126; S4 "Distributed locks on MySQL, Redis,
// etcd and ZooKeeper", lines 221-225; S2 "From SETNX to Redlock and WAIT", lines 64-70. What they
// leave out is in redlock: a clock that is never set, and a margin for the drift.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "redlock-wall-clock", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: stateless(redlockWallClock),
	})
}

func redlockWallClock(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	return q.acquire(ctx, q.voteByWallClock, q.all)
}

func (q quorum) voteByWallClock(ctx context.Context) vote {
	v := vote{token: newToken(q.Env)}
	t1 := wallMillis(q.Env)
	v.nodes = q.poll(ctx, redis.Set(q.Name, v.token).PX(q.Lease).NX())
	t2 := wallMillis(q.Env)
	v.held = len(v.nodes) >= q.majority() && t2-t1 < ports.Millis(q.Lease)
	return v
}
