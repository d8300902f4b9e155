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
// Guarantees: as set-nx-lua; besides, work may last longer than the lease.
//
// Breaks when: the whole process freezes for longer than what is left of the
// lease, daemon included: a second client gets in, and the daemon, awake again,
// renews the second one's key. If that client dies, its lock lives for as long as
// the first one's daemon. A hung task with a living daemon keeps the lock for ever.
// No holder is told of a loss, though EXPIRE answers 0 when the key is gone.
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
		ID: "watchdog-blind", File: "watchdog_blind.go", Store: StoreRedis, LeaseUnit: time.Second, Watchdog: true,
		New: func(d Deps) Lock { return &watchdogBlind{d} },
	})
}

type watchdogBlind struct{ Deps }

func (l *watchdogBlind) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	create := redis.Set(l.Name, token).EX(l.Lease).NX()
	return createKey(ctx, l.Deps, create, func(time.Duration) Lease {
		lease := &blindlyRenewed{scriptDel: scriptDel{Deps: &l.Deps, token: token}}
		ctx, stop := l.Env.WithCancel(l.Env.Background())
		lease.stop = stop
		l.Env.Go(ctx, ports.Watchdog, lease.renew)
		return lease
	})
}

// blindlyRenewed is a lease whose daemon renews the key, whoever owns it.
type blindlyRenewed struct {
	scriptDel
	stop context.CancelFunc // of the daemon
}

func (l *blindlyRenewed) renew(ctx context.Context) {
	for l.Env.Sleep(ctx, l.renewal()) == nil {
		_ = l.Redis.Do(ctx, redis.Expire(l.Name, l.Lease)) // the answer is ignored
	}
}

func (l *blindlyRenewed) Release(ctx context.Context) error {
	l.stop()
	return l.scriptDel.Release(ctx)
}
