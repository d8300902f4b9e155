// Lock lit-s2-units
//
// Idea: Redlock with the units that the document names: timestamps in
// microseconds beside a lease that everywhere else in it is given in seconds.
//
// Protocol:
//  1. t1: the current time in microseconds.
//  2. SET key token EX seconds NX on every node in turn, each for a small part of the lease.
//  3. Held: at least N/2+1 nodes said OK and seconds > t2 - t1, one number compared with the other as they are.
//  4. Else EVAL unlock on those nodes that said OK, and again after a random delay.
//  5. To release, EVAL unlock on those nodes that said OK.
//
// Guarantees: mutual exclusion, in that nobody ever holds the lock over a real
// network: five round trips take more microseconds than a lease has seconds.
//
// Breaks when: it runs. Every client wins its vote, finds it too slow, and starts
// anew. Had all terms one unit, whichever, the test would be that of redlock.
//
// Source: S2 "From SETNX to Redlock and WAIT", line 64 (microseconds) beside lines 18
// and 79 (EX, hence seconds).
//
// 想法：Redlock，用文档写的单位：时间戳用微秒，而租约在别处都以秒计。
//
// 协议：
//  1. t1：当前时间，单位是微秒。
//  2. 依次在每个节点上 SET key token EX seconds NX，每个只等租约的一小部分。
//  3. 拿到锁：至少 N/2+1 个节点答复 OK，而且 seconds > t2 - t1，两个数照原样相比。
//  4. 否则在答复了 OK 的节点上 EVAL unlock，随机等一会儿再试。
//  5. 释放：在答复了 OK 的节点上 EVAL unlock。
//
// 保证：互斥，因为在真实的网络上从来没有人持有过锁：五次往返花的微秒数，总是大于租约的秒数。
//
// 何时被破坏：运行它就行。每个客户端都赢了投票，又嫌投票太慢，从头再来。各项只要用同一个单位，
// 不管哪一个，这个判断就和 redlock 的一样。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 64 行（微秒），对照第 18 和 79 行（EX，也就是秒）。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "lit-s2-units", File: "lit_s2_units.go", Store: StoreRedisNodes, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &litS2Units{quorum{d}} },
	})
}

type litS2Units struct{ quorum }

func (l *litS2Units) Acquire(ctx context.Context) (Lease, error) {
	return l.acquire(ctx, l.vote, agreed)
}

func (l *litS2Units) vote(ctx context.Context) vote {
	v := vote{token: newToken(l.Env)}
	t1 := l.Env.Now().UnixMicro()
	v.nodes = l.poll(ctx, redis.Set(l.Name, v.token).EX(l.Lease).NX())
	t2 := l.Env.Now().UnixMicro()
	v.held = len(v.nodes) >= l.majority() && world.Seconds(l.Lease) > t2-t1
	return v
}
