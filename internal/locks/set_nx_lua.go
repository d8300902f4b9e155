// Lock set-nx-lua
//
// Idea: compare and delete in one script, which the server runs with nothing else in between.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-ex-del; in addition, a release removes the client's own entry
// or none, however late or repeated it is.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or
// a late reply: a second client gets in. The script protects the entry, not the
// critical section. A failover that forgets the entry lets a second client in too.
//
// Source: S1 "Ways to implement distributed locks on Redis", lines 85-111; S2 "From
// SETNX to Redlock and WAIT", lines 35-46; S4 "Distributed locks on MySQL, Redis, etcd
// and ZooKeeper", lines 169-188; Redis documentation, "Distributed Locks with Redis",
// correct implementation with a single instance.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-lua", Store: StoreRedis, LeaseUnit: time.Millisecond, New: stateless(setNXLua),
	})
}

// unlockScript deletes the key if it still holds the token.
var unlockScript = &redis.Script{Name: "unlock", Owner: 1, Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
else
	return 0
end`}

func setNXLua(ctx context.Context, d *Deps) (Lease, error) {
	return setNXPX(ctx, d, func(token string, _ time.Duration) Lease {
		return scriptDel(d, unlockScript, token)
	})
}

// scriptDel releases the lock by a script that is given the token.
func scriptDel(d *Deps, script *redis.Script, token string) ReleaseFunc {
	return func(ctx context.Context) error {
		return removed(d.Redis.Do(ctx, redis.Eval(script, d.Name).Text(token)))
	}
}
