// Lock redlock-rb-36
//
// Idea: a lock is extended by the script that takes it. When it has run out and is free
// at the moment, the extension takes it again and reports success.
//
// Protocol:
//  1. On each node in turn EVAL relock: no key, or own token -> SET key token PX milliseconds; else nil.
//     Held: a majority said OK, and the validity is positive. Else EVAL unlock on all nodes.
//  2. To extend, every third of the lease: step 1 with the same token.
//  3. To release, EVAL unlock on all nodes: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as redlock; in addition, a holder that is in time every third of the lease keeps the
// lock.
//
// Breaks when: as redlock. And a holder that overslept its lease is not told if the client
// that had the lock meanwhile has given it back: it goes on with what it has read before.
//
// Source: https://github.com/leandromoreira/redlock-rb/issues/36; lib/redlock/client.rb,
// LOCK_SCRIPT.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	registerBug(Variant{
		ID: "redlock-rb-36", Store: StoreRedisNodes, LeaseUnit: time.Millisecond, Watchdog: true,
		Bug: &Bug{
			Library: "redlock-rb", Has: "as of May 2016", Gone: "an option of lock, pull requests 37 and 42",
			Issue: "https://github.com/leandromoreira/redlock-rb/issues/36", Fixed: "redlock-extend",
		},
		New: stateless(redlockRb),
	}, nil)
}

// relockScript takes the key or extends it.
var relockScript = &redis.Script{Name: "relock", Owner: 1, Source: `if redis.call("exists", KEYS[1]) == 0 or redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
end`}

func redlockRb(ctx context.Context, d *Deps) (Lease, error) {
	q := quorum{d}
	voted := func(ctx context.Context) vote { return q.relock(ctx, newToken(d.Env)) }
	won, err := q.win(ctx, voted, q.all)
	if err != nil {
		return nil, err
	}
	lease := attendedBy(q.unlocks(won.token, q.Nodes))
	lease.attend(d.Env, ports.Watchdog, func(ctx context.Context) {
		for d.Env.Sleep(ctx, d.renewal()) == nil {
			if v := q.relock(ctx, won.token); !v.held && ctx.Err() == nil {
				lease.tellLost()
				return
			}
		}
	})
	return lease, nil
}

// relock asks every node for the lock with a token.
func (q quorum) relock(ctx context.Context, token string) vote {
	v := vote{token: token}
	began := q.Env.Mono()
	v.nodes = q.poll(ctx, redis.Eval(relockScript, q.Name).Text(token).Num(ports.Millis(q.Lease)))
	v.held = len(v.nodes) >= q.majority() && q.Lease-(q.Env.Mono()-began)-q.drift() > 0
	return v
}
