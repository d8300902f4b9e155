// Lock redis-semaphore-175
//
// Idea: the refresh that finds no key sets it again. The client that had the lock in between and
// has given it back leaves no trace.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, EVAL refresh: GET key equals token -> PEXPIRE key milliseconds, 1; no key -> SET key token PX milliseconds, 1; else 0.
//     After a 0: the lock is lost, and its holder is told. The fixed form, watchdog-lua, answers 0 when there is no key.
//  3. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as watchdog-lua, but a holder is notified of its loss only while another client has
// the lock.
//
// Breaks when: a refresh comes later than the lease lasts, and another client has had the lock and
// given it back: the first one goes on as if nothing had happened.
//
// Source: https://github.com/swarthy/redis-semaphore/issues/175 and pull request 177.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	registerBug(Variant{
		ID: "redis-semaphore-175", Store: StoreRedis, LeaseUnit: time.Millisecond,
		Bug: &Bug{
			Library: "redis-semaphore", Has: "as of June 2023", Gone: "pull request 177, merged",
			Issue: "https://github.com/swarthy/redis-semaphore/issues/175", Fixed: "watchdog-lua",
		},
		New: stateless(redisSemaphore),
	}, nil)
}

// refreshScript renews the key, or sets it when there is none.
var refreshScript = &redis.Script{Name: "refresh", Owner: 1, Source: `local value = redis.call("get", KEYS[1])
if value == ARGV[1] then
	return redis.call("pexpire", KEYS[1], ARGV[2])
elseif value == false then
	redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
	return 1
end
return 0`}

func redisSemaphore(ctx context.Context, d *Deps) (Lease, error) {
	return setNXPX(ctx, d, func(token string, sent time.Duration) Lease {
		refresh := redis.Eval(refreshScript, d.Name).Text(token).Num(ports.Millis(d.Lease))
		return renewedBy(d, refresh, sent, scriptDel(d, unlockScript, token))
	})
}
