// Lock set-nx-token-getdel
//
// Idea: store a token that no other client knows, and delete the key only if it still
// holds that token. The client compares.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. GET key; another token or nil: not held any more, leave it alone.
//  3. DEL key.
//
// Guarantees: as set-nx-ex-del; in addition, a holder that is merely late does not
// delete the key of the next one.
//
// Breaks when: a holder overruns its lease: a second client gets in; the lease ends
// between steps 2 and 3, because of a pause or a slow network: DEL deletes the key of
// the next holder although GET had shown the client's own token.
//
// Source: S0 "Distributed locks on Redis", lines 70-89; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 140-165.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-token-getdel", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: stateless(setNXTokenGetDel),
	})
}

func setNXTokenGetDel(ctx context.Context, d *Deps) (Lease, error) {
	return setNXPX(ctx, d, func(token string, _ time.Duration) Lease {
		return getDel(d, token, d.Name)
	})
}

// getDel releases the lock by comparing in the client, and deletes a key then.
func getDel(d *Deps, token, deletes string) ReleaseFunc {
	return func(ctx context.Context) error {
		reply := d.Redis.Do(ctx, redis.Get(d.Name))
		if reply.Err != nil {
			return reply.Err
		}
		if reply.IsNil() || reply.Str != token {
			return ErrNotHeld
		}
		return removed(d.Redis.Do(ctx, redis.Del(deletes)))
	}
}
