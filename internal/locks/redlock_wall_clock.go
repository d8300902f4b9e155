// Lock redlock-wall-clock
//
// Idea: Redlock with the two timestamps that the documents take, and the comparison that
// they make of them.
//
// Protocol:
//  1. t1: the current time, on the wall clock, in milliseconds.
//  2. SET key token PX milliseconds NX on every node in turn, each for a small part of the lease.
//  3. t2: the current time. Held: N/2+1 nodes said OK, and t2 - t1 is less than the lease.
//  4. Else EVAL unlock on all nodes, and again after a random delay.
//  5. To release, EVAL unlock on all nodes: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as redlock, while nobody sets the client's clock and it runs as fast as those
// of the nodes.
//
// Breaks when: as redlock; besides, the wall clock is set back while the client asks:
// the time that has passed is hidden, and a majority counts whose entries have run
// out. And when the clock is a little slow, the last moment of the lease on it lies
// behind the end of the lease on the nodes, because nothing is allowed for the
// difference.
//
// Source: S0 "Distributed locks on Redis", lines 118-126; S4 "Distributed locks on
// MySQL, Redis, etcd and ZooKeeper", lines 221-225; S2 "From SETNX to Redlock and
// WAIT", lines 64-70. What they leave out is in redlock: a clock that is never set, and
// a margin for the drift.
//
// 想法：Redlock，用文档所说的两个时间戳，以及文档对它们做的比较。
//
// 协议：
//  1. t1：墙上时钟的当前时间，单位是毫秒。
//  2. 依次在每个节点上 SET key token PX milliseconds NX，每个只等租约的一小部分。
//  3. t2：当前时间。拿到锁：N/2+1 个节点答复 OK，而且 t2 - t1 小于租约。
//  4. 否则在所有节点上 EVAL unlock，随机等一会儿再试。
//  5. 释放：在所有节点上 EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 redlock，只要没有人调客户端的时钟，而且它和节点的时钟走得一样快。
//
// 何时被破坏：同 redlock；另外，客户端询问时墙上时钟被往回调：过去的时间被藏了起来，条目已经到
// 期的多数也算数了。时钟稍慢一点时，它上面的租约的最后一刻，已经在节点上的租约结束之后，因为没
// 有给误差留余量。
//
// 来源：S0《基于redis的分布式锁》第 118-126 行；S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式
// 锁）第 221-225 行；S2（从 SETNX 到 Redlock 和 WAIT）第 64-70 行。它们没有写的在 redlock 里：从
// 不调整的时钟，和给漂移留的余地。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/redis"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "redlock-wall-clock", File: "redlock_wall_clock.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &redlockWallClock{quorum{d}} },
	})
}

type redlockWallClock struct{ quorum }

func (l *redlockWallClock) Acquire(ctx context.Context) (Lease, error) {
	return l.acquire(ctx, l.vote, l.all)
}

func (l *redlockWallClock) vote(ctx context.Context) vote {
	v := vote{token: newToken(l.Env)}
	t1 := wallMillis(l.Env)
	v.nodes = l.poll(ctx, redis.Set(l.Name, v.token).PX(l.Lease).NX())
	t2 := wallMillis(l.Env)
	v.held = len(v.nodes) >= l.majority() && t2-t1 < world.Millis(l.Lease)
	return v
}
