// Lock redlock-fsync
//
// Idea: Redlock on nodes that write every command to disk before they answer, so
// that a node that restarts remembers what it has promised.
//
// Protocol:
//  1. The nodes run with appendonly yes and appendfsync always.
//  2. SET key token PX milliseconds NX on every node in turn, as in redlock; held with a majority within the validity.
//  3. EVAL unlock on all nodes, after a lost vote and to release.
//
// Guarantees: as redlock; in addition, nodes may crash and restart at any time, and no
// second majority can form.
//
// Breaks when: as redlock, but for the restarts: a holder that freezes or is slow
// after its last look at the clock, wall clocks of the nodes that jump, entries
// that are evicted. Every SET costs as much as a disk takes to flush.
//
// Source: Redis documentation, "Distributed Locks with Redis", performance, crash recovery and
// fsync; S0 "Distributed locks on Redis", lines 113-126, for the algorithm.

package locks

import "time"

func init() {
	Register(Variant{
		ID: "redlock-fsync", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Servers: Servers{FsyncAlways: true}, New: stateless(redlock),
	})
}
