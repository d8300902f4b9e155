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
// Guarantees: as set-nx-lua; in addition, an isolated primary grants locks for ten to twelve
// seconds at most, as it counts whole seconds once per second, if the servers' clocks run alike.
//
// Breaks when: as set-nx-lua; the primary dies before its replica has the key: a connected
// replica is not one that has the last write; within these seconds of a partition both sides may
// grant. Without any replica no client gets the lock.
//
// Source: Redis documentation, "Redis replication", on allowing writes only with N
// attached replicas; ten seconds is the default of min-replicas-max-lag.

package locks

import "time"

func init() {
	Register(Variant{
		ID: "set-nx-minreplicas", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Servers: Servers{Replicas: 1, MinReplicas: 1, MinReplicasMaxLag: 10 * time.Second},
		New:     stateless(setNXLua),
	})
}
