// Lock bsm-redislock
//
// Library: github.com/bsm/redislock
// Store: redis
// Lease: 1ms
//
// Idea: SET NX PX and a release that compares first, both as scripts, on top of
// go-redis; as small as such a library can be.
//
// Protocol:
//  1. EVALSHA obtain (EVAL, where the server does not know the script): SET key token NX PX milliseconds -> OK. Else the key may be the client's own: it begins with the token -> SET key token PX milliseconds. Else nil: try again later.
//  2. A command without a reply is sent again by go-redis, up to three times. The script knows its own token, so the repetition succeeds.
//  3. EVALSHA release: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: mutual exclusion while every holder is done within the lease; a release removes the
// client's own entry or none; a lost reply of an acquisition costs a response timeout, not a lease.
//
// Breaks when: a holder overruns its lease, by slow work or a pause: nothing renews it
// unless the application calls Refresh, and nothing tells the holder. A failover that
// forgets the entry lets a second client in. A release whose reply was lost is sent
// again by go-redis and then finds nothing: not held, although it did release.
//
// Source: the library's README and code at v0.9.4; go-redis v9, Options.MaxRetries.

package libraries

import (
	"context"
	"errors"

	"github.com/bsm/redislock"

	"lockstep/internal/locks"
)

func init() {
	register(Library{
		ID: "bsm-redislock", New: newRedislock,
		Scripts: map[string]string{
			"80a1b5f2cfccec3b7119ba7721d2127682b691a7": "obtain",
			"cf0e94b2e9ffc7e04395cf88f7583fc309985910": "release",
		},
		Owners: map[string]int{"obtain": 1, "release": 1},
		Texts: []string{
			`
if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[3]) then return redis.status_reply("OK") end

local offset = tonumber(ARGV[2])
if redis.call("getrange", KEYS[1], 0, offset-1) == string.sub(ARGV[1], 1, offset) then return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[3]) end
`,
			`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`,
		},
	})
}

func newRedislock(d Deps) (locks.Lock, error) {
	client := primary(&d)
	return &bsmRedislock{d, redislock.New(client)}, reached(&d, client)
}

type bsmRedislock struct {
	Deps
	client *redislock.Client
}

// Acquire tries until ctx ends, as in the README's example with a deadline.
func (l *bsmRedislock) Acquire(ctx context.Context) (locks.Lease, error) {
	retry := redislock.LinearBackoff(l.Retry)
	lock, err := l.client.Obtain(ctx, l.Name, l.Lease, &redislock.Options{RetryStrategy: retry})
	if err != nil {
		return nil, failure(ctx, err)
	}
	return locks.ReleaseFunc(func(ctx context.Context) error {
		err := lock.Release(ctx)
		if errors.Is(err, redislock.ErrLockNotHeld) {
			return locks.ErrNotHeld
		}
		return err
	}), nil
}
