// Lock lua-setex
//
// Idea: look whether the key is there and create it with its time to live, in one
// script. It does what SET with NX and EX has done by itself since Redis 2.6.12.
//
// Protocol:
//  1. The end of the try: the current time on the wall clock plus acquireTimeout, which is the client's patience.
//  2. Until then, EVAL acquire: EXISTS key is 0 -> SETEX key seconds token, "1"; else "-1".
//     "1": the lock is held; "-1": another client holds it, sleep and try again. An interrupt ends that sleep and nothing else.
//  3. The end has come: the try has failed, and the caller begins a new one.
//  4. EVAL release: GET key equals token -> DEL key, "1"; else "-1".
//
// Guarantees: as set-nx-lua. The document's "0" in place of "1" cannot happen: a
// SETEX that fails ends the script with an error.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or a
// late reply: a second client gets in. Setting the wall clock lengthens or shortens
// the try. Interrupting a client that waits does not stop it: it goes on, and may get
// a lock that its caller no longer wants.
//
// Source: S3 "A distributed lock on Redis, with two Lua scripts", lines 3-10; its type
// of the result is in lit-s3-integer, the units of its comments are in lit-s3-units.

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lua-setex", Store: StoreRedis, LeaseUnit: time.Second, New: stateless(luaSetEX),
	})
}

var (
	setEXScript = &redis.Script{Name: "acquire", Owner: 2, Source: `if redis.call("exists", KEYS[1]) == 0 then
	if redis.call("setex", KEYS[1], unpack(ARGV)) then return "1" end
	return "0"
end
return "-1"`}

	// releaseScript differs from unlockScript in its answers only.
	releaseScript = &redis.Script{Name: "release", Owner: 1, Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	if redis.call("del", KEYS[1]) then return "1" end
	return "0"
end
return "-1"`}
)

func luaSetEX(ctx context.Context, d *Deps) (Lease, error) {
	return tryLock(ctx, d, ports.Seconds(d.Lease), ports.Millis(d.Wait))
}

// errTriedEnough is the empty token of the document: the time to try is over.
var errTriedEnough = errors.New("the time to try is over")

// tryLock is the document's function of that name. The end of ctx is an interrupt, which the
// document catches: the loop goes on, and from then on nothing disturbs its sleep.
func tryLock(ctx context.Context, d *Deps, lockTimeSeconds, acquireTimeoutMS int64) (Lease, error) {
	token := newToken(d.Env)
	end := wallMillis(d.Env) + acquireTimeoutMS
	for wallMillis(d.Env) < end {
		lease, err := setEX(d.Env.Background(), d, lockTimeSeconds, token)
		if lease != nil || err != nil {
			return lease, err
		}
		if d.Env.Sleep(ctx, d.Retry) != nil {
			ctx = d.Env.Background()
		}
	}
	return nil, errTriedEnough
}

// setEX runs the script once; nil, nil when another client holds the lock.
func setEX(ctx context.Context, d *Deps, ttl int64, token string) (Lease, error) {
	reply := d.Redis.Do(ctx, redis.Eval(setEXScript, d.Name).Num(ttl).Text(token))
	if reply.Err != nil || reply.Str != "1" {
		return nil, reply.Err
	}
	return ReleaseFunc(func(ctx context.Context) error {
		reply := d.Redis.Do(ctx, redis.Eval(releaseScript, d.Name).Text(token))
		if reply.Err == nil && reply.Str != "1" {
			return ErrNotHeld
		}
		return reply.Err
	}), nil
}
