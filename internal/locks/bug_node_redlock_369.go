// Lock node-redlock-369
//
// Idea: a majority is a lock, however long it took to find. The library computes until
// when the lock is valid, and hands it out even after that.
//
// Protocol:
//  1. As redlock: SET key token PX milliseconds NX on every node; a majority said OK.
//  2. Held, without a look at the clock. The caller finds the end of the validity in the lock, and may compare.
//     The fixed form, redlock, does so itself: no time is left, so it gives back what it got and asks again.
//
// Guarantees: as redlock, as long as the votes take less time than the lease.
//
// Breaks when: as redlock; and the client stands still, or its answers do, between the first vote
// and the last: it enters with a lock that has run out on every node.
//
// Source: https://github.com/mike-marcacci/node-redlock/pull/369, its points F1 and F5; the
// algorithm's step 4, Redis documentation, "Distributed Locks with Redis".

package locks

import (
	"context"
	"time"
)

func init() {
	registerBug(Variant{
		ID: "node-redlock-369", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Bug: &Bug{
			Library: "node-redlock", Has: "5.0.0-beta.2 and main",
			Issue: "https://github.com/mike-marcacci/node-redlock/pull/369", Fixed: "redlock",
		},
		New: stateless(nodeRedlock),
	}, nil)
}

// nodeRedlock is a Redlock for which only the number of votes counts.
func nodeRedlock(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	return q.acquire(ctx, func(ctx context.Context) vote {
		v := q.vote(ctx)
		v.held = len(v.nodes) >= q.majority()
		return v
	}, q.all)
}
