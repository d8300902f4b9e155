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
// Guarantees: as set-nx-lua; in addition, the death of a primary is noticed without sentinels,
// and a primary in a minority stops serving after the node timeout.
//
// Breaks when: as set-nx-lua. A cluster copies a key to the replicas of one shard only, and not
// before it answers: a primary that dies, or is cut off, takes with it what its replica has not
// received. For the node timeout, a primary that is cut off goes on granting locks. And when any
// primary dies, no node serves requests until that one has a successor.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 198-206; S2
// "From SETNX to Redlock and WAIT", lines 55-57; Redis Cluster specification: write
// safety, redirection and resharding.

package locks

import "time"

func init() {
	Register(Variant{
		ID: "set-nx-lua-cluster", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{Shards: 3}, New: stateless(setNXLua),
	})
}
