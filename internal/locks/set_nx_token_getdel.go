// Lock set-nx-token-getdel
//
// Idea: store a token that nobody else knows, and delete the key only if it still
// holds that token. The client compares.
//
// Protocol:
//  1. SET key token PX milliseconds NX; OK: the lock is held; nil: try again later.
//  2. GET key; another token or nil: not held any more, leave it alone.
//  3. DEL key.
//
// Guarantees: as set-nx-ex-del; besides, a holder that is merely late does not
// delete the key of the next one.
//
// Breaks when: a holder overruns its lease: a second client gets in; the lease ends
// between steps 2 and 3, because of a pause or a slow network: DEL deletes the key of
// the next holder although GET had shown the client's own token.
//
// Source: S0 "Distributed locks on Redis", lines 70-89; S4 "Distributed locks on MySQL,
// Redis, etcd and ZooKeeper", lines 140-165.
//
// 想法：存一个别人都不知道的随机标识，键里还是这个标识才删键。比较由客户端来做。
//
// 协议：
//  1. SET key token PX milliseconds NX；OK：拿到锁；nil：稍后再试。
//  2. GET key；是别的 token 或 nil：已经不再持有，不去动它。
//  3. DEL key。
//
// 保证：同 set-nx-ex-del；另外，只是迟到的持有者不会删掉下一个持有者的键。
//
// 何时被破坏：持有者超过租约：第二个客户端进来；因为停顿或网络慢，租约在第 2 步和第 3 步之间结
// 束：DEL 删掉下一个持有者的键，尽管 GET 看到的是自己的标识。
//
// 来源：S0《基于redis的分布式锁》第 70-89 行；S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）
// 第 140-165 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "set-nx-token-getdel", File: "set_nx_token_getdel.go", Store: StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &setNXTokenGetDel{d} },
	})
}

type setNXTokenGetDel struct{ Deps }

func (l *setNXTokenGetDel) Acquire(ctx context.Context) (Lease, error) {
	return setNXPX(ctx, l.Deps, func(token string, _ time.Duration) Lease {
		return &getDel{Deps: l.Deps, token: token}
	})
}

// getDel is a lease that is released by comparing in the client.
type getDel struct {
	Deps
	neverTold
	token string
}

func (l *getDel) Release(ctx context.Context) error {
	reply := l.Redis.Do(ctx, redis.Get(l.Name))
	if reply.Err != nil {
		return reply.Err
	}
	if reply.IsNil() || reply.Str != l.token {
		return ErrNotHeld
	}
	return removed(l.Redis.Do(ctx, redis.Del(l.Name)))
}
