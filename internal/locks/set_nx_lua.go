// Lock set-nx-lua
//
// Idea: compare and delete in one script, which the server runs without letting
// anybody else in between.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-ex-del; besides, a release removes the client's own entry
// or none, however late or repeated it is.
//
// Breaks when: a holder overruns its lease, by slow work, a pause, a partition or
// a late reply: a second client gets in. The script protects the entry, not the
// critical section. A failover that forgets the entry lets a second client in too.
//
// Source: S1 "Ways to implement distributed locks on Redis", lines 85-111; S2 "From
// SETNX to Redlock and WAIT", lines 35-46; S4 "Distributed locks on MySQL, Redis, etcd
// and ZooKeeper", lines 169-188; Redis documentation, "Distributed Locks with Redis",
// correct implementation with a single instance.
//
// 想法：比较和删除放进一个脚本，服务器执行它时不让别人插进来。
//
// 协议：
//  1. SET key token PX milliseconds NX；OK：拿到锁；nil：稍后再试。
//  2. EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-ex-del；另外，释放删掉的是客户端自己的条目，或者什么也不删，不管它来得多晚、
// 重复几次。
//
// 何时被破坏：持有者超过租约，因为工作慢、停顿、网络分区或迟到的答复：第二个客户端进来。脚本保
// 护的是条目，不是临界区。忘掉条目的故障转移也会放进第二个客户端。
//
// 来源：S1《Redis分布式锁的实现方式》第 85-111 行；S2（从 SETNX 到 Redlock 和 WAIT）第 35-46 行；
// S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 169-188 行；Redis 文档，"Distributed Locks
// with Redis"，单个实例的正确实现。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-lua", File: "set_nx_lua.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &setNXLua{d} },
	})
}

// unlockScript deletes the key if it still holds the token.
var unlockScript = &redis.Script{Name: "unlock", Owner: 1, Source: `if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
else
	return 0
end`}

type setNXLua struct{ Deps }

func (l *setNXLua) Acquire(ctx context.Context) (Lease, error) {
	return setNXPX(ctx, l.Deps, func(token string, _ time.Duration) Lease {
		return &scriptDel{Deps: &l.Deps, token: token}
	})
}

// scriptDel is a lease that is released by the unlock script.
type scriptDel struct {
	*Deps
	neverTold
	token string
}

func (l *scriptDel) Release(ctx context.Context) error {
	return removed(l.Redis.Do(ctx, redis.Eval(unlockScript, l.Name).Text(l.token)))
}
