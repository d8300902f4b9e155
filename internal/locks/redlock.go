// Lock redlock
//
// Idea: five independent primaries instead of one with replicas. A client holds the
// lock when a majority of them says so, so no failover is needed and none can forget
// the lock.
//
// Protocol:
//  1. Read the client's clock: t1. (The monotonic one: a wall clock that is stepped
//     back meanwhile would hide how much time has passed.)
//  2. SET key token PX milliseconds NX on every node in turn, each for a small part of the lease (lease/200, at least 5 ms).
//  3. Read the clock again: t2. Held: N/2+1 nodes said OK, and the validity, lease - (t2 - t1) - (lease/100 + 2 ms for drift), is positive.
//  4. Else EVAL unlock on all nodes, also on those that have not answered, and again after a random delay.
//  5. To release, EVAL unlock on all nodes: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: mutual exclusion while every holder is done within the validity, no
// node forgets and all clocks run about equally fast; a minority of the nodes may
// be dead or unreachable; the lock of a dead client is free after the lease; a
// reply that comes too late wins nothing, and one that never comes leaves no
// entry behind as long as its node can be reached.
//
// Breaks when: the holder freezes or is slow after step 3 (the application is given
// the validity and may look at it, but nothing makes it look, and nothing tells it);
// nodes of the majority restart empty or their wall clocks jump: then another majority
// can be found. There is no fencing token.
//
// Source: S0 "Distributed locks on Redis", lines 113-126; S4 "Distributed locks on
// MySQL, Redis, etcd and ZooKeeper", lines 212-251; Redis documentation, "Distributed
// Locks with Redis", the Redlock algorithm, for the drift and the random delay.
//
// 想法：用五个互不相干的主节点，代替一个带副本的主节点。多数说是，客户端就持有锁，所以不需要故
// 障转移，也就没有故障转移会忘掉锁。
//
// 协议：
//  1. 读客户端的时钟：t1。（读单调时钟：墙上时钟若在这期间向后跳，就看不出过了多久。）
//  2. 依次在每个节点上 SET key token PX milliseconds NX，每个只等租约的一小部分（租约/200，至少 5
//     毫秒）。
//  3. 再读时钟：t2。拿到锁：N/2+1 个节点答复 OK，而且有效时间，即租约 - (t2 - t1) - (租约/100 + 2
//     毫秒的漂移)，大于零。
//  4. 否则在所有节点上 EVAL unlock，没有答复的也不例外，随机等一会儿再试。
//  5. 释放：在所有节点上 EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：只要每个持有者都在有效时间之内做完、没有节点失忆、所有时钟走得差不多一样快，就互斥；可
// 以死掉或够不着少数节点；死掉的客户端的锁在租约之后空出来；来得太晚的答复赢不了什么，永远不来
// 的答复，只要它的节点够得着，就不会留下条目。
//
// 何时被破坏：持有者在第 3 步之后冻结或变慢（应用拿得到有效时间，可以看，但没有人逼它看，也没
// 有什么会告诉它）；多数里的节点重启后是空的，或墙上时钟跳了：那就能凑出另一个多数。没有防护令
// 牌。
//
// 来源：S0《基于redis的分布式锁》第 113-126 行；S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式
// 锁）第 212-251 行；漂移和随机的等待出自 Redis 文档，"Distributed Locks with Redis"，讲 Redlock
// 算法的部分。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "redlock", File: "redlock.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: newRedlock,
	})
}

func newRedlock(d Deps) Lock { return &redlock{quorum{d}} }

type redlock struct{ quorum }

func (l *redlock) Acquire(ctx context.Context) (Lease, error) {
	return l.acquire(ctx, l.vote, l.all)
}
