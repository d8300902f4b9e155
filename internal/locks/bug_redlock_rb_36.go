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
// Guarantees: as redlock; besides, a holder that is in time every third of the lease keeps the lock.
//
// Breaks when: as redlock. And a holder that overslept its lease is not told if the client
// that had the lock meanwhile has given it back: it goes on with what it has read before.
//
// Source: https://github.com/leandromoreira/redlock-rb/issues/36; lib/redlock/client.rb, LOCK_SCRIPT.

package locks

import (
	"context"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	registerBug(Variant{
		ID: "redlock-rb-36", File: "bug_redlock_rb_36.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond, Watchdog: true,
		Bug: &Bug{
			Library: "redlock-rb", Has: "as of May 2016", Gone: "an option of lock, pull requests 37 and 42",
			Issue: "https://github.com/leandromoreira/redlock-rb/issues/36", Fixed: "redlock-extend",
		},
		New: func(d Deps) Lock { return &redlockRb{quorum{d}} },
	}, nil)
}

// relockScript takes the key or extends it.
var relockScript = &redis.Script{Name: "relock", Owner: 1, Source: `if redis.call("exists", KEYS[1]) == 0 or redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("set", KEYS[1], ARGV[1], "PX", ARGV[2])
end`}

type redlockRb struct{ quorum }

func (l *redlockRb) Acquire(ctx context.Context) (Lease, error) {
	v, err := l.win(ctx, func(ctx context.Context) vote { return l.relock(ctx, newToken(l.Env)) }, l.all)
	if err != nil {
		return nil, err
	}
	lease := &redlockRbLease{quorumLease: quorumLease{quorum: l.quorum, token: v.token, on: l.Nodes}}
	lease.attend(l.Env, ports.Watchdog, func(ctx context.Context) { l.extend(ctx, lease) })
	return lease, nil
}

// relock asks every node for the lock with a token.
func (l *redlockRb) relock(ctx context.Context, token string) vote {
	v := vote{token: token}
	began := l.Env.Mono()
	v.nodes = l.poll(ctx, redis.Eval(relockScript, l.Name).Text(token).Num(ports.Millis(l.Lease)))
	v.held = len(v.nodes) >= l.majority() && l.Lease-(l.Env.Mono()-began)-l.drift() > 0
	return v
}

// extend keeps the lock until it is given back or refused.
func (l *redlockRb) extend(ctx context.Context, lease *redlockRbLease) {
	for l.Env.Sleep(ctx, l.renewal()) == nil {
		if v := l.relock(ctx, lease.token); !v.held && ctx.Err() == nil {
			lease.tellLost()
			return
		}
	}
}

type redlockRbLease struct {
	quorumLease
	attended
}

func (l *redlockRbLease) Release(ctx context.Context) error {
	l.stop()
	return l.quorumLease.Release(ctx)
}
