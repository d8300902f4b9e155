// Lock set-wait-pooled
//
// Idea: the two commands of set-wait through a busy connection pool, as a client
// library sends them unless it is asked for a single connection: each command gets
// whichever is free.
//
// Protocol:
//  1. On one connection: SET key token EX seconds NX; nil: try again later.
//  2. On another one: WAIT 1 3000; 1 or more: the lock is held.
//  3. Fewer, or an error: EVAL unlock, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua, and nothing more.
//
// Breaks when: the primary dies before its replica has the key. WAIT speaks of what had
// been written when its own connection was last used; as a rule every attached replica
// has confirmed that long ago, and the number comes at once, even from a frozen replica.
// The code looks checked, and the check is about the past.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84, which says nothing of
// connections; Redis documentation of WAIT: "in the context of the current connection".
//
// 想法：set-wait 的两条命令，走正在使用的连接池；没有人要求固定一个连接时，客户端库就是这样：
// 每条命令用哪个空闲的连接都行。
//
// 协议：
//  1. 在一条连接上：SET key token EX seconds NX；nil：稍后再试。
//  2. 在另一条连接上：WAIT 1 3000；1 或更多：拿到锁。
//  3. 不够，或者出错：EVAL unlock，稍后再试。
//  4. 释放：EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua，仅此而已。
//
// 何时被破坏：副本还没有键，主节点就死了。WAIT 说的是它自己那个连接上次使用时写过的东西；一般
// 来说，连着的副本早就都确认了，数字立刻就来，哪怕副本冻结着。代码看上去检查过，检查的却是过
// 去。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 78-84 行，它没有提到连接；Redis 文档里的 WAIT：在当前
// 连接的范围内。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "set-wait-pooled", File: "set_wait_pooled.go", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &setWaitPooled{d} },
	})
}

type setWaitPooled struct{ Deps }

func (l *setWaitPooled) Acquire(ctx context.Context) (Lease, error) {
	return spin(ctx, l.Deps, func() (Lease, error) {
		one, err := l.Redis.Dial(ctx)
		if err != nil {
			return nil, err
		}
		defer one.Close()
		other, err := l.Redis.Dial(ctx)
		if err != nil {
			return nil, err
		}
		defer other.Close()
		return setThenWait(ctx, &l.Deps, one, other, 1)
	})
}
