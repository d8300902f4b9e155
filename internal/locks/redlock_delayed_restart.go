// Lock redlock-delayed-restart
//
// Idea: a node that has crashed stays away until every lease that it may have
// granted is over. It comes back empty, and there is nothing left to forget.
//
// Protocol:
//  1. After a crash a node is unreachable for longer than the longest lease.
//  2. SET key token PX milliseconds NX on every node in turn, as in redlock; held with a majority within the validity.
//  3. EVAL unlock on all nodes, after a lost vote and to release.
//
// Guarantees: as redlock; in addition, restarts are safe without any disk.
//
// Breaks when: as redlock, but for the restarts. When a majority crashes, no
// client gets the lock for a whole lease.
//
// Source: Redis documentation, "Distributed Locks with Redis", performance, crash recovery and
// fsync; S0 "Distributed locks on Redis", lines 113-126, for the algorithm.

package locks

import "time"

func init() {
	Register(Variant{
		ID: "redlock-delayed-restart", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Servers: Servers{RestartAfterLease: true}, New: stateless(redlock),
	})
}
