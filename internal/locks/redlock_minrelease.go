// Lock redlock-minrelease
//
// Idea: Redlock as one of the documents tells it: a client that has not got the lock
// cleans up only where it knows that it has left something.
//
// Protocol:
//  1. Steps 1 to 3 of redlock: t1; SET key token PX milliseconds NX on every node in turn; t2; a majority and a positive validity.
//  2. Else EVAL unlock on those nodes that said OK, and again after a random delay.
//  3. To release, EVAL unlock on those nodes that said OK.
//
// Guarantees: as redlock, but not when replies get lost.
//
// Breaks when: as redlock; besides, a node has executed the SET and its reply is
// lost: the client does not count it and does not clean it up. The key stays for
// a whole lease, a vote for nobody. A few of them and no client, not even the one
// that left them, finds a majority until they expire.
//
// Source: S2 "From SETNX to Redlock and WAIT", lines 59-76, step 5; S4 "Distributed
// locks on MySQL, Redis, etcd and ZooKeeper", lines 245-251, says why it should be all
// nodes.
//
// 想法：有一份文档是这样讲 Redlock 的：没拿到锁的客户端，只在它知道自己留下了东西的地方清理。
//
// 协议：
//  1. redlock 的第 1 到第 3 步：t1；依次在每个节点上 SET key token PX milliseconds NX；t2；多数，
//     而且有效时间大于零。
//  2. 否则在答复了 OK 的节点上 EVAL unlock，随机等一会儿再试。
//  3. 释放：在答复了 OK 的节点上 EVAL unlock。
//
// 保证：同 redlock，但答复丢失时不行。
//
// 何时被破坏：同 redlock；另外，节点执行了 SET 而答复丢失：客户端不把它算作一票，也不去清理。
// 键要留一整个租约，是投给无名氏的一票。这样的票有几张，在它们过期之前，就没有客户端凑得出多
// 数，留下它们的那个也不行。
//
// 来源：S2（从 SETNX 到 Redlock 和 WAIT）第 59-76 行，第 5 步；S4（MySQL、Redis、etcd 和
// ZooKeeper 上的分布式锁）第 245-251 行 讲了为什么应当是所有节点。

package locks

import (
	"context"
	"time"
)

func init() {
	Register(Variant{
		ID: "redlock-minrelease", File: "redlock_minrelease.go", Store: StoreRedisNodes, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &redlockMinRelease{quorum{d}} },
	})
}

type redlockMinRelease struct{ quorum }

func (l *redlockMinRelease) Acquire(ctx context.Context) (Lease, error) {
	return l.acquire(ctx, l.vote, agreed)
}
