// Lock lit-lua-s2
//
// Idea: the document's script as it is printed: without its last line, and with names
// that Redis does not give to scripts.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: the script does not compile, for want of an "end". With one, it
//     would fail at the globals KEY and VAL, which would have to be KEYS[1] and ARGV[1].
//
// Guarantees: mutual exclusion while every holder is done within the lease. No
// release ever frees another client's lock, since none frees any.
//
// Breaks when: a holder overruns its lease: a second client gets in. Even without
// any fault the lock is free only when its lease is over, however short the work.
// A caller that takes anything but 0 for success believes that it has released.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 18-23 and 39-43.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-lua-s2", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(litLuaS2),
	})
}

// brokenScript is the document's text, defects included.
var brokenScript = &redis.Script{Name: "unlock", Owner: 1, Source: `if redis.call("get",KEY) == VAL then
    return redis.call("del",KEY)
else
    return 0
`}

func litLuaS2(ctx context.Context, d *Deps) (Lease, error) {
	token := newToken(d.Env)
	create := redis.Set(d.Name, token).EX(d.Lease).NX()
	return createKey(ctx, d, create, func(time.Duration) Lease {
		return scriptDel(d, brokenScript, token)
	})
}
