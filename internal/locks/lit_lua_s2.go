// Lock lit-lua-s2
//
// Idea: the document's script as it is printed: without its last line, and with names
// that Redis does not give to scripts.
//
// Protocol:
//  1. SET key token EX seconds NX; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: the script does not compile, for want of an "end". With one, it
//     would fail at the globals KEY and VAL, which would have to be KEYS[1] and ARGV[1].
//
// Guarantees: mutual exclusion while every holder is done within the lease. No
// release ever frees another client's lock, since none frees any.
//
// Breaks when: a holder overruns its lease: a second client gets in. Even without
// any fault the lock is free only when its lease is over, however short the work.
// A caller that takes anything but 0 for success believes that it has released.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 18-23 and 39-43.
//
// 想法：文档里的脚本，一字不改：少了最后一行，用的名字也不是脚本拿得到的。
//
// 协议：
//  1. SET key token EX seconds NX；OK：拿到锁；nil：稍后再试。
//  2. EVAL unlock：脚本编译不过，因为少了一个 end。补上它，又会败在全局变量 KEY 和 VAL 上，它们本
//     该是 KEYS[1] 和 ARGV[1]。
//
// 保证：只要每个持有者都在租约之内做完，就互斥。没有哪次释放会放掉别人的锁，因为哪次也没放掉任
// 何锁。
//
// 何时被破坏：持有者超过租约：第二个客户端进来。即使没有任何故障，锁也要等租约结束才空出来，不
// 管工作多短。把 0 以外的都当成功的调用者，会以为自己已经释放了。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 18-23 和 39-43 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-lua-s2", File: "lit_lua_s2.go", Store: StoreRedis, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litLuaS2{d} },
	})
}

// brokenScript is the document's text, defects included.
var brokenScript = &redis.Script{Name: "unlock", Owner: 1, Source: `if redis.call("get",KEY) == VAL then
    return redis.call("del",KEY)
else
    return 0
`}

type litLuaS2 struct{ Deps }

func (l *litLuaS2) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	create := redis.Set(l.Name, token).EX(l.Lease).NX()
	return spin(ctx, l.Deps, func() (Lease, error) {
		reply := l.Redis.Do(ctx, create)
		if !reply.IsOK() {
			return nil, reply.Err
		}
		return &brokenDel{Deps: l.Deps, token: token}, nil
	})
}

// brokenDel is a lease that is released by a script that no server runs.
type brokenDel struct {
	Deps
	neverTold
	token string
}

func (l *brokenDel) Release(ctx context.Context) error {
	return removed(l.Redis.Do(ctx, redis.Eval(brokenScript, l.Name).Text(l.token)))
}
