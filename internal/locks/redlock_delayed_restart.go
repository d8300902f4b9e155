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
// Guarantees: as redlock; besides, restarts are safe without any disk.
//
// Breaks when: as redlock, but for the restarts. When a majority crashes, nobody
// gets the lock for a whole lease.
//
// Source: Redis documentation, "Distributed Locks with Redis", performance, crash
// recovery and fsync; S0 "Distributed locks on Redis", lines 113-126, for the
// algorithm.
//
// 想法：崩溃过的节点不露面，直到它可能授予过的租约全都结束。它回来时是空的，也没有什么可忘的
// 了。
//
// 协议：
//  1. 崩溃过的节点，在比最长的租约还久的时间里都连不上。
//  2. 依次在每个节点上 SET key token PX milliseconds NX，同 redlock；在有效时间之内凑成多数就拿到
//     锁。
//  3. 落选之后，以及释放时，在所有节点上 EVAL unlock。
//
// 保证：同 redlock；另外，不用任何磁盘，重启也是安全的。
//
// 何时被破坏：同 redlock，重启除外。多数崩溃时，一整个租约之内谁也拿不到锁。
//
// 来源：Redis 文档，"Distributed Locks with Redis"，讲性能、崩溃恢复和 fsync 的部分；算法见
// S0《基于redis的分布式锁》第 113-126 行。

package locks

import "time"

func init() {
	Register(Variant{
		ID: "redlock-delayed-restart", File: "redlock_delayed_restart.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Servers: Servers{RestartAfterLease: true},
		New:     newRedlock,
	})
}
