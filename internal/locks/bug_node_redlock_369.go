// Lock node-redlock-369
//
// Idea: a majority is a lock, however long it took to find. The library computes until
// when the lock is valid, and hands it out even after that.
//
// Protocol:
//  1. As redlock: SET key token PX milliseconds NX on every node; a majority said OK.
//  2. Held, without a look at the clock. The caller finds the end of the validity in the lock, and may compare.
//     The fixed form, redlock, does so itself: no time is left, so it gives back what it got and asks again.
//
// Guarantees: as redlock, as long as the votes take less time than the lease.
//
// Breaks when: as redlock; and the client stands still, or its answers do, between the first vote and
// the last: it enters with a lock that has run out on every node.
//
// Source: https://github.com/mike-marcacci/node-redlock/pull/369, its points F1 and F5; the
// algorithm's step 4, Redis documentation, "Distributed Locks with Redis".
//
// 想法：有多数就算拿到锁，不管花了多久。库算出锁有效到什么时候，过了这个时候也照样交出去。
//
// 协议：
//  1. 同 redlock：在每个节点上 SET key token PX milliseconds NX；多数答复 OK。
//  2. 这就算持有，不看时钟。有效时间的终点写在锁里，调用者可以自己比较。修好的形式 redlock 自己来
//     比：没有时间剩下，就把拿到的还掉，再问一遍。
//
// 保证：只要投票花的时间比租约短，就同 redlock。
//
// 何时被破坏：同 redlock；另外，在第一票和最后一票之间客户端停住，或者答复停在路上：它进去时，
// 锁在每个节点上都已到期。
//
// 来源：https://github.com/mike-marcacci/node-redlock/pull/369 的 F1 和 F5 两点；算法的第 4 步，
// Redis 文档，"Distributed Locks with Redis"。

package locks

import (
	"context"
	"time"
)

func init() {
	registerBug(Variant{
		ID: "node-redlock-369", File: "bug_node_redlock_369.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		Bug: &Bug{
			Library: "node-redlock", Has: "5.0.0-beta.2 and main",
			Issue: "https://github.com/mike-marcacci/node-redlock/pull/369", Fixed: "redlock",
		},
		New: func(d Deps) Lock { return &nodeRedlock{quorum{d}} },
	}, nil)
}

type nodeRedlock struct{ quorum }

func (l *nodeRedlock) Acquire(ctx context.Context) (Lease, error) {
	return l.acquire(ctx, l.count, l.all)
}

// count is a vote for which only the number of votes counts.
func (l *nodeRedlock) count(ctx context.Context) vote {
	v := l.vote(ctx)
	v.held = len(v.nodes) >= l.majority()
	return v
}
