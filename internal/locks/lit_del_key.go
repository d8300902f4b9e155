// Lock lit-del-key
//
// Idea: set-nx-token-getdel with the names that the document gives its keys: it
// compares lKey and deletes lockKey.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. GET key; another token or nil: not held any more, leave it alone.
//  3. DEL keyKey: a key that does not exist. It answers 0.
//
// Guarantees: mutual exclusion while every holder is done within the lease. No
// release ever frees another client's lock, since none frees any.
//
// Breaks when: a holder overruns its lease: a second client gets in. Even without
// any fault the lock is free only when its lease is over, however short the work.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 161-162.
//
// 想法：set-nx-token-getdel，用文档给键起的名字：比较的是 lKey，删除的是 lockKey。
//
// 协议：
//  1. SET key token PX milliseconds NX；OK：拿到锁；nil：稍后再试。
//  2. GET key；是别的 token 或 nil：已经不再持有，不去动它。
//  3. DEL keyKey：一个不存在的键。它答复 0。
//
// 保证：只要每个持有者都在租约之内做完，就互斥。没有哪次释放会放掉别人的锁，因为哪次也没放掉任
// 何锁。
//
// 何时被破坏：持有者超过租约：第二个客户端进来。即使没有任何故障，锁也要等租约结束才空出来，不
// 管工作多短。
//
// 来源：S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 161-162 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-del-key", File: "lit_del_key.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &litDelKey{d} },
	})
}

type litDelKey struct{ Deps }

func (l *litDelKey) Acquire(ctx context.Context) (Lease, error) {
	return setNXPX(ctx, l.Deps, func(token string, _ time.Duration) Lease {
		return &wrongDel{Deps: l.Deps, token: token}
	})
}

// wrongDel is a lease that is released by deleting something else.
type wrongDel struct {
	Deps
	neverTold
	token string
}

func (l *wrongDel) Release(ctx context.Context) error {
	reply := l.Redis.Do(ctx, redis.Get(l.Name))
	if reply.Err != nil {
		return reply.Err
	}
	if reply.IsNil() || reply.Str != l.token {
		return ErrNotHeld
	}
	return removed(l.Redis.Do(ctx, redis.Del(otherKey(l.Name))))
}
