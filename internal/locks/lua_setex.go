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
//
// 想法：在一个脚本里看键在不在，并连同存活时间一起创建它。从 Redis 2.6.12 起，带 NX 和 EX 的
// SET 自己就能做到。
//
// 协议：
//  1. 尝试的终点：墙上时钟的当前时间加上 acquireTimeout，也就是客户端的耐心。
//  2. 在那之前，EVAL acquire：EXISTS key 是 0 -> SETEX key seconds token，"1"；否则 "-1"。"1"：拿
//     到锁；"-1"：别人持有，睡一会儿再试。中断只会结束这一次睡眠，别的什么也不结束。
//  3. 终点到了：这次尝试失败，由调用者开始新的一次。
//  4. EVAL release：GET key 等于 token -> DEL key，"1"；否则 "-1"。
//
// 保证：同 set-nx-lua。文档里用 "0" 代替 "1" 的情况不会发生：失败的 SETEX 会以错误结束脚本。
//
// 何时被破坏：持有者超过租约，因为工作慢、停顿、网络分区或迟到的答复：第二个客户端进来。墙上时
// 钟被调，尝试就变长或变短。打断一个正在等待的客户端也停不住它：它继续等，还可能拿到调用者已经
// 不要的锁。
//
// 来源：S3《redis实现分布式锁》第 3-10 行；它的返回类型在 lit-s3-integer，注释里的单位在
// lit-s3-units。

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "lua-setex", File: "lua_setex.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &luaSetEX{d} },
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

type luaSetEX struct{ Deps }

func (l *luaSetEX) Acquire(ctx context.Context) (Lease, error) {
	return tryLock(ctx, l.Deps, world.Seconds(l.Lease), world.Millis(l.Wait))
}

// errTriedEnough is the empty token of the document: the time to try is over.
var errTriedEnough = errors.New("the time to try is over")

// tryLock is the document's function of that name. The end of ctx is an interrupt, which the
// document catches: the loop goes on, and from then on nothing disturbs its sleep.
func tryLock(ctx context.Context, d Deps, lockTimeSeconds, acquireTimeoutMS int64) (Lease, error) {
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

// setEX runs the script once; nil, nil when somebody else holds the lock.
func setEX(ctx context.Context, d Deps, ttl int64, token string) (Lease, error) {
	reply := d.Redis.Do(ctx, redis.Eval(setEXScript, d.Name).Num(ttl).Text(token))
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
	reply := l.Redis.Do(ctx, redis.Eval(releaseScript, l.Name).Text(l.token))
	switch {
	case reply.Err != nil:
		return reply.Err
	case reply.Str == "1":
		return nil
	default:
		return ErrNotHeld
	}
}
