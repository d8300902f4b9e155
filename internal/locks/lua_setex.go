// Lock lua-setex
//
// Idea: look whether the key is there and create it with its time to live, in one
// script. It does what SET with NX and EX has done by itself since Redis 2.6.12.
//
// Protocol:
//  1. EVAL acquire: EXISTS key is 0 -> SETEX key seconds token, "1"; else "-1".
//     "1": the lock is held; "-1": somebody else holds it, try again later.
//  2. EVAL release: GET key equals token -> DEL key, "1"; else "-1".
//
// Guarantees: as set-nx-lua. The document's "0" in place of "1" cannot happen: a
// SETEX that fails ends the script with an error.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or
// a late reply: a second client gets in. The time to try is measured on the wall
// clock in the document, so a clock that is set shortens or lengthens the wait;
// here the scenario's patience stands for it.
//
// Source: 003_67466b891a5c8073.txt, lines 3-10.

package locks

import (
	"context"
	"time"

	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "lua-setex", File: "lua_setex.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &luaSetEX{d} },
	})
}

var (
	setEXScript = &world.Script{Name: "acquire", Owner: 2, Source: `if redis.call("exists", KEYS[1]) == 0 then
	if redis.call("setex", KEYS[1], unpack(ARGV)) then return "1" end
	return "0"
end
return "-1"`}

	// releaseScript differs from unlockScript in its answers only.
	releaseScript = &world.Script{Name: "release", Owner: 1, Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	if redis.call("del", KEYS[1]) then return "1" end
	return "0"
end
return "-1"`}
)

type luaSetEX struct{ Deps }

func (l *luaSetEX) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	return spin(ctx, l.Deps, func() (Lease, error) {
		return setEX(ctx, l.Deps, world.Seconds(l.Lease), token)
	})
}

// setEX runs the script once; nil, nil when somebody else holds the lock.
func setEX(ctx context.Context, d Deps, ttl int64, token string) (Lease, error) {
	reply := d.Redis.Do(ctx, world.Eval(setEXScript, d.Name).Num(ttl).Text(token))
	if reply.Err != nil || reply.Str != "1" {
		return nil, reply.Err
	}
	return &releaseLease{Deps: d, token: token}, nil
}

// releaseLease is a lease that is released by the release script.
type releaseLease struct {
	Deps
	neverTold
	token string
}

func (l *releaseLease) Release(ctx context.Context) error {
	reply := l.Redis.Do(ctx, world.Eval(releaseScript, l.Name).Text(l.token))
	switch {
	case reply.Err != nil:
		return reply.Err
	case reply.Str == "1":
		return nil
	default:
		return ErrNotHeld
	}
}
