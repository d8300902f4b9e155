// Lock lit-s2-units
//
// Idea: Redlock with the units that the document names: timestamps in microseconds, and a lease
// that everywhere else in it is given in seconds.
//
// Protocol:
//  1. t1: the current time in microseconds.
//  2. SET key token EX seconds NX on every node in turn, each for a small part of the lease.
//  3. Held: at least N/2+1 nodes said OK and seconds > t2 - t1, one number compared with the other as they are.
//  4. Else EVAL unlock on those nodes that said OK, and again after a random delay.
//  5. To release, EVAL unlock on those nodes that said OK.
//
// Guarantees: mutual exclusion, in that no client ever holds the lock over a real
// network: five round trips take more microseconds than a lease has seconds.
//
// Breaks when: it runs. Every client wins its vote, finds it too slow, and starts
// again. If all terms had one unit, any unit, the test would be that of redlock.
//
// Source: S2 "From SETNX to Redlock and WAIT", line 64 (microseconds) beside lines 18
// and 79 (EX, hence seconds).

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-s2-units", Store: StoreRedisNodes, LeaseUnit: time.Second, New: stateless(litS2Units),
	})
}

func litS2Units(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	return q.acquire(ctx, q.voteInMixedUnits, agreed)
}

func (q quorum) voteInMixedUnits(ctx context.Context) vote {
	v := vote{token: newToken(q.Env)}
	t1 := q.Env.Now().UnixMicro()
	v.nodes = q.poll(ctx, redis.Set(q.Name, v.token).EX(q.Lease).NX())
	t2 := q.Env.Now().UnixMicro()
	v.held = len(v.nodes) >= q.majority() && ports.Seconds(q.Lease) > t2-t1
	return v
}
