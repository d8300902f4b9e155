// Lock set-nx-ex-del
//
// Idea: create the key and its time to live in one command, so that no crash can come between them.
//
// Protocol:
//  1. SET key owner EX seconds NX; OK: the lock is held; nil: another client holds it, try again later.
//  2. DEL key.
//
// Guarantees: mutual exclusion while every holder is done within the lease; the
// lock of a dead client is free after the lease.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or
// a late reply: a second client gets in. Then the first one's DEL deletes the
// second one's key, and a third client gets in.
//
// Source: S0 "Distributed locks on Redis", lines 51-68; S2 "From SETNX to Redlock and
// WAIT", lines 18-33.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-ex-del", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(setNXEXDel),
	})
}

func setNXEXDel(ctx context.Context, d *Deps) (Lease, error) {
	create := redis.Set(d.Name, d.Owner).EX(d.Lease).NX()
	return createKey(ctx, d, create, func(time.Duration) Lease { return blindDel(d) })
}
