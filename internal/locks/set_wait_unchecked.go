// Lock set-wait-unchecked
//
// Idea: the two commands of set-wait, and a check whether WAIT has failed, as the
// document asks for. WAIT answers with a number, and nobody reads that.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later.
//  2. On the same connection: WAIT 1 3000; any number: the lock is held.
//  3. An error: EVAL unlock, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; a replica has the key only if it was quick enough.
//
// Breaks when: no replica confirms in time. WAIT then answers 0, and that is no error: the
// client has waited for three seconds of its lease and goes in as if a replica had the key.
// A primary that dies now, or is cut off with its holder, takes the lock with it.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84, where WAIT ends in an error
// or well; Redis documentation of WAIT: it returns the number of replicas reached, also
// at its timeout.
//
// 想法：set-wait 的两条命令，再照文档说的，看 WAIT 有没有失败。WAIT 答复的是一个数，没有人读
// 它。
//
// 协议：
//  1. 在一条专用的连接上：SET key token EX seconds NX；nil：稍后再试。
//  2. 在同一条连接上：WAIT 1 3000；不管是几：拿到锁。
//  3. 出错：EVAL unlock，稍后再试。
//  4. 释放：EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；副本够快，才有这个键。
//
// 何时被破坏：没有副本及时确认。这时 WAIT 答复 0，而这不是错误：客户端等掉了租约里的三秒，然后
// 当作副本已有键一样进去。主节点这时死掉，或和它的持有者一起被隔开，锁就跟着没了。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 78-84 行，在那里 WAIT 要么出错，要么没事；Redis 文档
// 里的 WAIT：它答复确认了的副本数，超时也一样。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "set-wait-unchecked", File: "set_wait_unchecked.go", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 1, NoCluster: bindsToServer},
		New:     func(d Deps) Lock { return &setWaitUnchecked{d} },
	})
}

type setWaitUnchecked struct{ Deps }

func (l *setWaitUnchecked) Acquire(ctx context.Context) (Lease, error) {
	return onOneConn(ctx, &l.Deps, 0)
}
