// Lock redlock-minrelease
//
// Idea: Redlock as one of the documents describes it: a client that has not got the lock
// cleans up only where it knows that it has left something.
//
// Protocol:
//  1. Steps 1 to 3 of redlock: t1; SET key token PX milliseconds NX on every node in turn; t2; a majority and a positive validity.
//  2. Else EVAL unlock on those nodes that said OK, and again after a random delay.
//  3. To release, EVAL unlock on those nodes that said OK.
//
// Guarantees: as redlock, but not when replies get lost.
//
// Breaks when: as redlock; in addition, a node has executed the SET and its reply is lost: the
// client does not count it and does not clean it up. The key stays for a whole lease, a lost vote.
// A few of them, and no client, not even the one that left them, finds a majority until they
// expire.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 59-76, step 5; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 245-251, says why it should be all nodes.

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "redlock-minrelease", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: stateless(redlockMinRelease),
	})
}

func redlockMinRelease(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	return q.acquire(ctx, q.vote, agreed)
}
