// Lock redis-py-3847
//
// Idea: the lock forgets its token before it has asked the server to delete the key. A release that
// fails cannot be repeated, and without a timeout nothing else removes the key.
//
// Protocol:
//  1. SET key token NX, without a time to live, which is the library's default (timeout=None); nil: try again later.
//  2. To release: forget the token, then EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//  3. A release without a token is an error at once: nothing is sent.
//     The fixed form forgets the token only when the server has answered.
//
// Guarantees: mutual exclusion, for ever: nothing expires.
//
// Breaks when: the request of a release is lost, or its task cancelled before it is sent: the
// application that releases again is told that the lock is not held, and no client ever gets it.
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
		ID: "redis-py-3847", Store: StoreRedis,
		Bug: &Bug{
			Library: "redis-py", Has: "as of November 2025 (asyncio), August 2026 (sync)",
			Gone:  "pull requests 3900 and 4258, merged",
			Issue: "https://github.com/redis/redis-py/issues/3847",
		},
		New: redisPy(true),
	}, redisPy(false))
}

// redisPy forgets the token before the release is answered, or afterwards.
func redisPy(before bool) func(Deps) Lock {
	return stateless(func(ctx context.Context, d *Deps) (Lease, error) {
		token := newToken(d.Env) // "" once it is forgotten
		release := func(ctx context.Context) error {
			if token == "" {
				return ErrNotHeld
			}
			unlock := scriptDel(d, unlockScript, token)
			if before {
				token = ""
			}
			err := unlock(ctx)
			if err == nil || errors.Is(err, ErrNotHeld) {
				token = ""
			}
			return err
		}
		create := redis.Set(d.Name, token).NX()
		return createKey(ctx, d, create, func(time.Duration) Lease { return ReleaseFunc(release) })
	})
}
