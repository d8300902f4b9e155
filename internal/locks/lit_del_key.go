// Lock lit-del-key
//
// Idea: set-nx-token-getdel with the names that the document gives its keys: it
// compares lKey and deletes lockKey.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. GET key; another token or nil: not held any more, leave it alone.
//  3. DEL keyKey: a key that does not exist. It answers 0.
//
// Guarantees: mutual exclusion while every holder is done within the lease. No
// release ever frees another client's lock, since none frees any.
//
// Breaks when: a holder overruns its lease: a second client gets in. Even without
// any fault the lock is free only when its lease is over, however short the work.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 161-162.

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "lit-del-key", Store: StoreRedis, LeaseUnit: time.Millisecond, New: stateless(litDelKey),
	})
}

func litDelKey(ctx context.Context, d *Deps) (Lease, error) {
	return setNXPX(ctx, d, func(token string, _ time.Duration) Lease {
		return getDel(d, token, otherKey(d.Name))
	})
}
