// Lock curator-mutex
//
// Idea: the queue of zk-sequential as a library for applications: the client that holds the
// lock may take it again, and a node that is no longer needed is certain to be
// deleted.
//
// Protocol:
//  1. A client that holds counts one more, without asking anybody.
//  2. create /lock/_c_GUID-lock- EPHEMERAL SEQUENTIAL; the server appends the number. (The first client ever creates /lock before.)
//  3. children of /lock; its own node is missing: go to 2; its number is the lowest:
//     the lock is held.
//  4. exists, with a watch, the node with the next lower number; there is none, or the watch fires: go to 3.
//  5. release: count one less; at 0, delete its own node. If the connection is lost,
//     that is an error, and a task goes on deleting in the background until a server has
//     answered. After a lost connection, 2 looks for the GUID among the children of /lock
//     first.
//
// Guarantees: as zk-sequential; besides, a client that gives up or whose release fails
// leaves no node behind for ever. There is no fencing token in the library; the czxid
// of the node would be one.
//
// Breaks when: as zk-sequential. The count is local: after the session is lost, a
// client that takes the lock again gets it at once although it has no node. It has
// to stop when it is told that its connection is suspended or lost.
//
// Source: Apache Curator, InterProcessMutex, LockInternals and
// StandardLockInternalsDriver; "Error Handling". The retry policy is that of the
// caller's context, and exists stands for Curator's getData, which leaves no watch
// behind when there is no node.
//
// 想法：把 zk-sequential 的队列做成给应用用的库：持有锁的可以再拿一次，不再需要的节点保证会删
// 掉。
//
// 协议：
//  1. 已经持有锁的客户端只把计数加一，不问任何人。
//  2. create /lock/_c_GUID-lock- EPHEMERAL SEQUENTIAL；编号由服务器加上。（最早的那个客户端先创建
//     /lock。）
//  3. 列出 /lock 的子节点；没有自己的节点：到第 2 步；自己的编号最小：拿到锁。
//  4. 对紧挨在自己之前的节点 exists，带上 watch；它不存在，或者 watch 触发：到第 3 步。
//  5. 释放：计数减一；减到 0 就 delete 自己的节点。连接断了就是出错，由一个后台任务接着删，直到有
//     服务器答复。断过连接之后，第 2 步先在 /lock 的子节点里找这个 GUID。
//
// 保证：同 zk-sequential；另外，放弃的或释放失败的客户端不会留下永久的节点。库里没有防护令牌；
// 节点的 czxid 可以当令牌。
//
// 何时被破坏：同 zk-sequential。计数只在本地：会话丢了之后，再次拿锁的客户端立刻就能拿到，尽管
// 它已经没有节点。被告知连接挂起或丢失时，它必须停下。
//
// 来源：Apache Curator 的 InterProcessMutex、LockInternals 和 StandardLockInternalsDriver；它的文
// 档 "Error Handling"。重试策略就是调用者的 context；用 exists 代替 Curator 的 getData，节点不存
// 在时后者不会留下 watch。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/zookeeper"
	"lockstep/internal/world"
)

func init() {
	Register(Variant{
		ID: "curator-mutex", File: "curator_mutex.go", Store: zookeeper.ID, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &curatorMutex{zkQueue: zkQueue{zkClient{Deps: d}}} },
	})
}

type curatorMutex struct {
	zkQueue
	held *curatorLease // nil when this client does not hold the lock
}

func (l *curatorMutex) Acquire(ctx context.Context) (Lease, error) {
	if l.held != nil {
		l.held.count++
		return l.held, nil
	}
	place := &zkPlace{prefix: "_c_" + newToken(l.Env) + "-lock-"}
	if err := l.stand(ctx, place); err != nil {
		if place.session != nil {
			l.guarantee(place)
		}
		return nil, err
	}
	l.held = &curatorLease{mutex: l, place: place, count: 1}
	l.held.lost, l.held.stop = tellOfTrouble(l.Env, place.session)
	return l.held, nil
}

// guarantee deletes a node in the background.
func (l *curatorMutex) guarantee(p *zkPlace) {
	l.Env.Go(l.Env.Background(), "guaranteed delete", func(ctx context.Context) {
		_ = l.remove(ctx, p) // it ends when the node is gone, one way or another
	})
}

// curatorLease is what one client holds, however often it has taken it.
type curatorLease struct {
	mutex *curatorMutex
	place *zkPlace
	count int
	lost  context.Context
	stop  context.CancelFunc // of the task that looks at the session
}

func (l *curatorLease) Lost() context.Context { return l.lost }
func (l *curatorLease) Token() int64          { return 0 }

func (l *curatorLease) Release(ctx context.Context) error {
	if l.count > 1 {
		l.count--
		return nil
	}
	if l.mutex.held != l {
		return ErrNotHeld
	}
	l.mutex.held = nil
	l.stop()
	err := l.mutex.removeOnce(ctx, l.place)
	switch err {
	case world.ErrConnection:
		l.mutex.guarantee(l.place)
	case zookeeper.ErrSessionExpired:
		return ErrNotHeld
	}
	return err
}
