// Lock watchdog-blind
//
// Idea: a daemon sets the time to live anew every third of the lease, as the
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
// Nobody is told of a loss, though EXPIRE answers 0 when the key is gone.
//
// Source: 000_9f7ee79c86e9a462.txt, line 91; 004_0b550b2f4f804549.txt, lines
// 190-194, read literally.

package locks

import (
	"context"
	"time"

	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "watchdog-blind", File: "watchdog_blind.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &watchdogBlind{d} },
	})
}

type watchdogBlind struct{ Deps }

func (l *watchdogBlind) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	create := world.Set(l.Name, token).EX(l.Lease).NX()
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsOK() {
			return nil, reply.Err
		}
		lease := &blindlyRenewed{scriptDel: scriptDel{Deps: &l.Deps, token: token}}
		ctx, stop := l.Env.WithCancel(l.Env.Background())
		lease.stop = stop
		l.Env.Go(ctx, world.Watchdog, lease.renew)
		return lease, nil
	})
}

// blindlyRenewed is a lease whose daemon renews whatever key is there.
type blindlyRenewed struct {
	scriptDel
	stop context.CancelFunc // of the daemon
}

func (l *blindlyRenewed) renew(ctx context.Context) {
	for l.Env.Sleep(ctx, l.Lease/3) == nil {
		_ = l.Redis.Do(ctx, world.Expire(l.Name, l.Lease)) // an answer that nobody looks at
	}
}

func (l *blindlyRenewed) Release(ctx context.Context) error {
	l.stop()
	return l.scriptDel.Release(ctx)
}
