// Lock set-nx-lua-const
//
// Idea: compare and delete in one script, with a value that all clients share. The
// script is right, but it has nothing to tell apart.
//
// Protocol:
//  1. SET key OK PX milliseconds NX, with the word OK for all clients; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: GET key equals OK -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-ex-del, and no more: the comparison always succeeds.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or
// a late reply: a second client gets in. Then the first one's script finds the
// value that it expects, deletes the second one's key, and a third client gets in.
//
// Source: S1 "Ways to implement distributed locks on Redis", line 131, which warns of it.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-lua-const", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: stateless(setNXLuaConst),
	})
}

// sharedValue is the value of every client's key.
const sharedValue = "OK"

func setNXLuaConst(ctx context.Context, d *Deps) (Lease, error) {
	create := redis.Set(d.Name, sharedValue).PX(d.Lease).NX()
	return createKey(ctx, d, create, func(time.Duration) Lease {
		return scriptDel(d, unlockScript, sharedValue)
	})
}
