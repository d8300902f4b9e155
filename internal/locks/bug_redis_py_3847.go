// Lock redis-py-3847
//
// Idea: the lock forgets its token before it has asked the server to delete the key. A release that fails
// cannot be repeated, and without a timeout nothing else removes the key.
//
// Protocol:
//  1. SET key token NX, without a time to live, which is the library's default (timeout=None); nil: try again later.
//  2. To release: forget the token, then EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//  3. A release without a token is an error at once: nothing is sent.
//     The fixed form forgets the token only when the server has answered.
//
// Guarantees: mutual exclusion, for ever: nothing expires.
//
// Breaks when: the request of a release is lost, or its task cancelled before it is sent: the application
// that releases again is told that the lock is not held, and no client ever gets it.
//
// Source: https://github.com/redis/redis-py/issues/3847 (asyncio) and pull requests 3900 and
// 4258 (the same in redis/lock.py).

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	registerBug(Variant{
		ID: "redis-py-3847", File: "bug_redis_py_3847.go", Store: StoreRedis,
		Bug: &Bug{Library: "redis-py", Has: "as of November 2025 (asyncio), August 2026 (sync)", Gone: "pull requests 3900 and 4258, merged", Issue: "https://github.com/redis/redis-py/issues/3847"},
		New: func(d Deps) Lock { return &redisPy{Deps: d, forgets: true} },
	}, func(d Deps) Lock { return &redisPy{Deps: d} })
}

type redisPy struct {
	Deps
	forgets bool // the token before the release is answered
}

func (l *redisPy) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	create := redis.Set(l.Name, token).NX()
	return createKey(ctx, l.Deps, create, func(time.Duration) Lease {
		return &redisPyLease{redisPy: l, token: token}
	})
}

type redisPyLease struct {
	*redisPy
	neverTold
	token string // "" once it is forgotten
}

func (l *redisPyLease) Release(ctx context.Context) error {
	if l.token == "" {
		return ErrNotHeld
	}
	unlock := redis.Eval(unlockScript, l.Name).Text(l.token)
	if l.forgets {
		l.token = ""
	}
	err := removed(l.Redis.Do(ctx, unlock))
	if err == nil || errors.Is(err, ErrNotHeld) {
		l.token = ""
	}
	return err
}
