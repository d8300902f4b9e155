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
// Guarantees: as redlock; besides, nodes may crash and restart at any time, and no
// second majority can form.
//
// Breaks when: as redlock, but for the restarts: a holder that freezes or is slow
// after its last look at the clock, wall clocks of the nodes that jump, entries
// that are evicted. Every SET costs as much as a disk takes to flush.
//
// Source: Redis documentation, "Distributed Locks with Redis", performance, crash
// recovery and fsync; 000_9f7ee79c86e9a462.txt, lines 113-126, for the algorithm.
//
// 想法：Redlock，节点在答复之前把每条命令写到磁盘，所以重启的节点记得自己许诺过什么。
//
// 保证：同 redlock；另外，节点随时可以崩溃和重启，不会因此凑出第二个多数。
//
// 何时被破坏：同 redlock，重启除外：持有者最后一次看时钟之后冻结或变慢，节点的墙上时钟跳了，条
// 目被淘汰。每条 SET 的代价是一次磁盘刷写。

package locks

import "time"

func init() {
	Register(Variant{
		ID: "redlock-fsync", File: "redlock_fsync.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Servers: Servers{FsyncAlways: true},
		New:     newRedlock,
	})
}
