// Lock lit-wait-retry
//
// Idea: set-wait as the document words it: when WAIT fails, the acquisition may
// have failed and has to be processed again.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later.
//  2. On the same connection: WAIT 1 3000; 1 or more: the lock is held.
//  3. Fewer, or an error: again from step 1, after a while. What the SET has written stays.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-wait, for an attempt that succeeds at once.
//
// Breaks when: no replica confirms in time: the client finds the lock taken, by
// itself, and so does everybody else for a whole lease. WAIT times out; it undoes
// nothing. It breaks as set-wait, too.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 79-84: after an error "the locking
// may have failed and needs to be processed again".
//
// 想法：set-wait，照文档的说法：WAIT 失败时，拿锁可能也失败了，要重新处理一遍。
//
// 协议：
//  1. 在一条专用的连接上：SET key token EX seconds NX；nil：稍后再试。
//  2. 在同一条连接上：WAIT 1 3000；1 或更多：拿到锁。
//  3. 不够，或者出错：过一会儿从第 1 步重来。SET 写下的东西还留着。
//  4. 释放：EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：一次就成功的尝试，同 set-wait。
//
// 何时被破坏：没有副本及时确认：客户端发现锁被占着，占着它的就是自己，别人也要等一整个租
// 约。WAIT 超时了，但它什么也不撤销。另外，能破坏 set-wait 的也能破坏它。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 79-84 行：出错之后，锁可能也没有拿到，要重新处理。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
)

func init() {
	Register(Variant{
		ID: "lit-wait-retry", File: "lit_wait_retry.go", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &litWaitRetry{d} },
	})
}

type litWaitRetry struct{ Deps }

func (l *litWaitRetry) Acquire(ctx context.Context) (Lease, error) {
	token := newToken(l.Env)
	return spin(ctx, l.Deps, func() (Lease, error) {
		conn, err := l.Redis.Dial(ctx)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		reply := conn.Do(ctx, redis.Set(l.Name, token).EX(l.Lease).NX())
		if !reply.IsOK() {
			return nil, reply.Err
		}
		acks := conn.Do(ctx, oneReplica(l.Lease))
		if acks.Kind != redis.ReplyInt || acks.Int < 1 {
			return nil, acks.Err
		}
		return &scriptDel{Deps: &l.Deps, token: token}, nil
	})
}
