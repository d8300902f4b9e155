// Lock set-nx-lua-cluster
//
// Idea: set-nx-lua on a Redis Cluster, whose primaries share the keys among them and promote
// a replica of their own when one of them is silent for too long.
//
// Protocol:
//  1. SET key token PX milliseconds NX, to the primary of the key's hash slot; OK: the lock is held; nil: try again later.
//     MOVED slot server: the same to that server. CLUSTERDOWN: an error, and the next try goes to another node.
//  2. EVAL unlock, to the same: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, the death of a primary is noticed without sentinels,
// and a primary in a minority stops serving after the node timeout.
//
// Breaks when: as set-nx-lua. A cluster copies a key to the replicas of one shard
// only, and not before it answers: a primary that dies, or is cut off, takes what its
// replica has not heard of with it. For the node timeout, a primary that is cut off
// goes on granting locks. And when any primary dies, no node serves anybody until that
// one has a successor.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 198-206; S2
// "From SETNX to Redlock and WAIT", lines 55-57; Redis Cluster specification: write
// safety, redirection and resharding.
//
// 想法：Redis Cluster 上的 set-nx-lua。集群的主节点分担各个键；有一个沉默太久，就由它们自己提
// 升一个副本。
//
// 协议：
//  1. SET key token PX milliseconds NX，发给键的哈希槽的主节点；OK：拿到锁；nil：稍后再试。MOVED
//     槽 服务器：向那台服务器再发一次。CLUSTERDOWN：出错，下一次尝试找别的节点。
//  2. EVAL unlock，发给同一台：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；另外，不用哨兵也能发现主节点死掉；处在少数一边的主节点，过了
// node-timeout 就停止服务。
//
// 何时被破坏：同 set-nx-lua。集群只把键复制给一个分片的副本，而且不是先复制再答复：死掉或被隔
// 开的主节点，会带走副本还没听说的东西。在 node-timeout 之内，被隔开的主节点还会继续授予锁。任
// 何一个主节点死掉，在它有继任者之前，哪个节点都不为任何人服务。
//
// 来源：S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 198-206 行；S2（从 SETNX 到 Redlock
// 和 WAIT）第 55-57 行；Redis Cluster 规范：写入安全、重定向和重新分片。

package locks

import "time"

func init() {
	Register(Variant{
		ID: "set-nx-lua-cluster", File: "set_nx_lua_cluster.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{Shards: 3},
		New:     func(d Deps) Lock { return &setNXLua{d} },
	})
}
