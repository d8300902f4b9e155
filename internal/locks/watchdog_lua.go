// Lock watchdog-lua
//
// Idea: a background task renews the lease for as long as the process lives, so that slow work does
// not lose the lock, and tells the application when a renewal says that the lock is gone.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, EVAL renew: GET key equals token -> PEXPIRE key milliseconds, 1; else 0.
//     After a 0, or without a success until the lease has run out on the client's own clock: the lock is lost.
//  3. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; in addition, work may last longer than the lease, and a
// client that runs learns of its loss.
//
// Breaks when: the whole process freezes for longer than what is left of the lease, watchdog
// included; it is cut off from the store and does not stop at once when told; a failover forgets
// the entry. A hung task with a living watchdog keeps the lock for ever.
//
// Source: S0 "Distributed locks on Redis", line 91; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 190-194, with the owner check that they leave out.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "watchdog-lua", Store: StoreRedis, LeaseUnit: time.Millisecond, Watchdog: true,
		New: stateless(watchdogLua),
	})
}

// renewScript sets the time to live again if the key still holds the token.
var renewScript = &redis.Script{Name: "renew", Owner: 1, Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("pexpire", KEYS[1], ARGV[2])
else
	return 0
end`}

func watchdogLua(ctx context.Context, d *Deps) (Lease, error) {
	return setNXPX(ctx, d, func(token string, sent time.Duration) Lease {
		renewal := redis.Eval(renewScript, d.Name).Text(token).Num(ports.Millis(d.Lease))
		return renewedBy(d, renewal, sent, scriptDel(d, unlockScript, token))
	})
}
