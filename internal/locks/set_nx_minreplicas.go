// Lock set-nx-minreplicas
//
// Idea: set-nx-lua on a primary that refuses writes while it has not heard from a
// replica for ten seconds, so that one that is cut off stops handing out locks.
//
// Protocol:
//  1. The servers run with min-replicas-to-write 1 and min-replicas-max-lag 10.
//  2. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later; NOREPLICAS: the attempt has failed.
//  3. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, an isolated primary grants locks for at most ten
// seconds, if the servers' clocks run alike.
//
// Breaks when: as set-nx-lua; the primary dies before its replica has heard of the
// key: a connected replica is not one that has the last write; within the ten
// seconds of a partition both sides may grant. Without any replica nobody gets the
// lock at all.
//
// Source: Redis documentation, "Redis replication", on allowing writes only with N
// attached replicas; ten seconds is the default of min-replicas-max-lag.
//
// 想法：主节点十秒没有听到副本的消息就拒绝写入，在它上面用 set-nx-lua：被隔开的主节点就不再发
// 锁。
//
// 协议：
//  1. 服务器以 min-replicas-to-write 1 和 min-replicas-max-lag 10 运行。
//  2. SET key token PX milliseconds NX；OK：拿到锁；nil：稍后再试；NOREPLICAS：这次尝试失败。
//  3. EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；另外，只要各服务器的时钟走得一样快，被隔开的主节点最多再授予十秒的锁。
//
// 何时被破坏：同 set-nx-lua；副本还没听说这个键，主节点就死了：连着的副本，不等于有最后一次写
// 入的副本；网络分区的头十秒之内，两边都可能授予。一个副本都没有时，谁也拿不到锁。
//
// 来源：Redis 文档，"Redis replication"，讲连着 N 个副本才允许写入；十秒是 min-replicas-max-lag
// 的默认值。

package locks

import "time"

func init() {
	Register(Variant{
		ID: "set-nx-minreplicas", File: "set_nx_minreplicas.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{Replicas: 1, MinReplicas: 1, MinReplicasMaxLag: 10 * time.Second},
		New:     func(d Deps) Lock { return &setNXLua{d} },
	})
}
