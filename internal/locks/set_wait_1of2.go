// Lock set-wait-1of2
//
// Idea: two replicas for availability, and WAIT 1 as before: whichever of them is
// faster has the key, and that ought to be enough.
//
// Protocol:
//  1. On a connection of its own: SET key token EX seconds NX; nil: try again later.
//  2. On the same connection: WAIT 1 3000; 1 or more: the lock is held.
//  3. Fewer, or an error: EVAL unlock, and again later.
//  4. To release, EVAL unlock: GET key equals token -> DEL key, 1; else 0.
//
// Guarantees: as set-nx-lua; besides, when the primary dies, at least one of the two
// replicas has the key.
//
// Breaks when: the other one is promoted. WAIT makes sure that one of them remembers,
// not that the one who remembers will be asked. A majority of all three servers
// would be no help either as long as the next primary is not chosen by what it
// knows; and as set-wait.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 78-84, with the second replica
// that its text allows; Redis documentation of WAIT, consistency and WAIT.
//
// 想法：为了可用性用两个副本，WAIT 还是 1：哪个快，哪个就有键，这应该够了。
//
// 协议：
//  1. 在一条专用的连接上：SET key token EX seconds NX；nil：稍后再试。
//  2. 在同一条连接上：WAIT 1 3000；1 或更多：拿到锁。
//  3. 不够，或者出错：EVAL unlock，稍后再试。
//  4. 释放：EVAL unlock：GET key 等于 token -> DEL key，1；否则 0。
//
// 保证：同 set-nx-lua；另外，主节点死掉时，两个副本里至少有一个有这个键。
//
// 何时被破坏：被提升的是另一个。WAIT 保证有人记得，不保证将来去问的就是记得的那个。哪怕三台服
// 务器的多数都有，只要下一个主节点不是按它知道什么来选的，也没有用；其余同 set-wait。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 78-84 行，加上它的文字允许的第二个副本；Redis 文档里
// 的 WAIT，讲一致性的部分。

package locks

import "time"

func init() {
	Register(Variant{
		ID: "set-wait-1of2", File: "set_wait_1of2.go", Store: StoreRedis, LeaseUnit: time.Second,
		Servers: Servers{Replicas: 2, NoCluster: bindsToServer},
		New:     newSetWait,
	})
}
