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
// recovery and fsync; S0 "Distributed locks on Redis", lines 113-126, for the
// algorithm.
//
// 想法：Redlock，节点在答复之前把每条命令写到磁盘，所以重启的节点记得自己许诺过什么。
//
// 协议：
//  1. 节点以 appendonly yes 和 appendfsync always 运行。
//  2. 依次在每个节点上 SET key token PX milliseconds NX，同 redlock；在有效时间之内凑成多数就拿到
//     锁。
//  3. 落选之后，以及释放时，在所有节点上 EVAL unlock。
//
// 保证：同 redlock；另外，节点随时可以崩溃和重启，不会因此凑出第二个多数。
//
// 何时被破坏：同 redlock，重启除外：持有者最后一次看时钟之后冻结或变慢，节点的墙上时钟跳了，条
// 目被淘汰。每条 SET 的代价是一次磁盘刷写。
//
// 来源：Redis 文档，"Distributed Locks with Redis"，讲性能、崩溃恢复和 fsync 的部分；算法见
// S0《基于redis的分布式锁》第 113-126 行。

package locks

import "time"

func init() {
	Register(Variant{
		ID: "redlock-fsync", File: "redlock_fsync.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Servers: Servers{FsyncAlways: true},
		New:     newRedlock,
	})
}
