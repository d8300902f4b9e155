// Lock watchdog-blind
//
// Idea: a daemon sets the time to live again every third of the lease, as the
// documents say in words: it does not ask whose key it is.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. Every third of the lease, EXPIRE key seconds. The answer is not looked at.
//  3. Stop the daemon; EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; in addition, work may last longer than the lease.
//
// Breaks when: the whole process freezes for longer than what is left of the
// lease, daemon included: a second client gets in, and the daemon, awake again,
// renews the second one's key. If that client dies, its lock lives for as long as
// the first one's daemon. A hung task with a living daemon keeps the lock for ever.
// No holder is notified of a loss, though EXPIRE answers 0 when the key is gone.
//
// Source: S0 "Distributed locks on Redis", line 91; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 190-194, read literally.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "watchdog-blind", Store: StoreRedis, LeaseUnit: time.Second, Watchdog: true,
		New: stateless(watchdogBlind),
	})
}

func watchdogBlind(ctx context.Context, d *Deps) (Lease, error) {
	token := newToken(d.Env)
	create := redis.Set(d.Name, token).EX(d.Lease).NX()
	return createKey(ctx, d, create, func(time.Duration) Lease {
		ctx, stop := d.Env.WithCancel(d.Env.Background())
		d.Env.Go(ctx, ports.Watchdog, func(ctx context.Context) {
			for d.Env.Sleep(ctx, d.renewal()) == nil {
				// The answer is ignored, and the key may have another owner by now.
				_ = d.Redis.Do(ctx, redis.Expire(d.Name, d.Lease))
			}
		})
		return ReleaseFunc(func(ctx context.Context) error {
			stop()
			return scriptDel(d, unlockScript, token)(ctx)
		})
	})
}
