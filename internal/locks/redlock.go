// Lock redlock
//
// Idea: five independent primaries instead of one with replicas. A client holds the lock when a
// majority of them says so, so no failover is needed and none can forget the lock.
//
// Protocol:
//  1. Read the client's clock: t1. (The monotonic one: a wall clock that is stepped
//     back meanwhile would hide how much time has passed.)
//  2. SET key token PX milliseconds NX on every node in turn, each for a small part of the lease (lease/200, at least 5 ms).
//  3. Read the clock again: t2. Held: N/2+1 nodes said OK, and the validity, lease - (t2 - t1) - (lease/100 + 2 ms for drift), is positive.
//  4. Else EVAL unlock on all nodes, also on those that have not answered, and again after a random delay.
//  5. To release, EVAL unlock on all nodes: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: mutual exclusion while every holder is done within the validity, no node forgets and
// all clocks run about equally fast; a minority of the nodes may be dead or unreachable; the lock
// of a dead client is free after the lease; a reply that comes too late wins nothing, and one that
// never comes leaves no entry behind as long as its node can be reached.
//
// Breaks when: the holder freezes or is slow after step 3 (the application is given
// the validity and may look at it, but nothing makes it look, and nothing tells it);
// nodes of the majority restart empty or their wall clocks jump: then another majority
// can be found. There is no fencing token.
//
// Source: S0 "Distributed locks on Redis", lines 113-126; S4 "Distributed locks on
// MySQL, Redis, etcd and ZooKeeper", lines 212-251; Redis documentation, "Distributed
// Locks with Redis", the Redlock algorithm, for the drift and the random delay.

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "redlock", Store: StoreRedisNodes, LeaseUnit: time.Millisecond, New: stateless(redlock),
	})
}

func redlock(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	return q.acquire(ctx, q.vote, q.all)
}
