// Lock set-wait-pooled
//
// Idea: the two commands of set-wait through a busy connection pool, as a client library sends them
// unless it is asked for a single connection: each command gets whichever is free.
//
// Protocol:
//  1. On one connection: SET key token EX seconds NX; nil: try again later.
//  2. On another one: WAIT 1 3000; 1 or more: the lock is held.
//  3. Fewer, or an error: EVAL unlock, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua, and nothing more.
//
// Breaks when: the primary dies before its replica has the key. WAIT speaks of what had
// been written when its own connection was last used; as a rule every attached replica
// has confirmed that long ago, and the number comes at once, even from a frozen replica.
// The code looks checked, and the check is about the past.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84, which says nothing of
// connections; Redis documentation of WAIT: "in the context of the current connection".

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-wait-pooled", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer}, New: stateless(setWaitPooled),
	})
}

func setWaitPooled(ctx context.Context, d *Deps) (Lease, error) {
	return onOneConn(ctx, d, func(one redis.Conn) (Lease, error) {
		other, err := d.Redis.Dial(ctx)
		if err != nil {
			return nil, err
		}
		defer other.Close()
		return setThenWait(ctx, d, one, other, 1)
	})
}
