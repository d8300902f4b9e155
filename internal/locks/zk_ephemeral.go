// Lock zk-ephemeral
//
// Idea: the client that has created one certain node holds the lock. The node is
// ephemeral: it goes with the session of its creator, so the lock needs no expiry.
//
// Protocol:
//  1. create /lock EPHEMERAL; created: the lock is held.
//  2. Node exists: exists /lock with a watch. When the watch fires, all who wait begin again at 1.
//  3. The client library keeps the session alive with heartbeats.
//  4. delete /lock, whatever its version; in a new session when the old one has expired meanwhile.
//
// Guarantees: one holder for as long as the session of each holder lives; a crash
// frees the lock after the session timeout. Nothing tells a client that its session
// has expired; the number of the transaction that created /lock (czxid) would be a
// fencing token, and nobody reads it.
//
// Breaks when: the holder freezes or is cut off for longer than the session
// timeout, and goes on: a second client gets in. Its delete then takes away the
// node of the second one, since it says which path, not which node; a version is
// no help, every fresh node has version 0. A lost reply of create leaves a node
// that the living session keeps for ever, and its own client waits behind it. A
// delete that is repeated because its reply was lost hits the node of the next one;
// one that is not repeated may leave the node. Every release wakes all who wait.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 379-409.
//
// 想法：谁创建了某一个节点，谁就持有锁。节点是临时的：创建者的会话结束它就消失，所以锁不需要过
// 期时间。
//
// 协议：
//  1. create /lock EPHEMERAL；创建了：拿到锁。
//  2. 节点已经存在：对 /lock exists，带上 watch。watch 触发时，等着的都从第 1 步重来。
//  3. 客户端库用心跳维持会话。
//  4. delete /lock，不管它的版本；旧会话在这期间到期了，就在新会话里删。
//
// 保证：持有者的会话活着期间只有一个持有者；崩溃之后，锁在会话超时后空出来。没有什么会告诉客户
// 端它的会话已过期；创建 /lock 的事务编号（czxid）可以当防护令牌，但没有人读它。
//
// 何时被破坏：持有者冻结或断开得比会话超时还久，然后继续：第二个客户端进来。接着它的 delete 删
// 掉第二个的节点，因为它说的是哪个路径，不是哪个节点；版本没有用，每个新节点的版本都是
// 0。create 的答复丢失，会留下一个由活着的会话一直保住的节点，它自己的客户端就排在后面等。因答
// 复丢失而重复的 delete 会删到下一个持有者的节点；不重复又可能把节点留下。每次释放都叫醒所有等
// 待者。
//
// 来源：S4（MySQL、Redis、etcd 和 ZooKeeper 上的分布式锁）第 379-409 行。

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/zookeeper"
)

func init() {
	Register(Variant{
		ID: "zk-ephemeral", File: "zk_ephemeral.go", Store: zookeeper.ID, LeaseUnit: time.Millisecond,
		New: func(d Deps) Lock { return &zkEphemeral{zkClient{Deps: d}} },
	})
}

type zkEphemeral struct{ zkClient }

func (l *zkEphemeral) path() string { return "/" + l.Name }

func (l *zkEphemeral) Acquire(ctx context.Context) (Lease, error) {
	session, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	for {
		_, err := session.Create(ctx, l.path(), "", zookeeper.Ephemeral)
		if err == nil {
			return &zkEphemeralLease{lock: l}, nil
		}
		if err != zookeeper.ErrNodeExists {
			return nil, err
		}
		stat, gone, err := session.ExistsWatch(ctx, l.path())
		if err != nil {
			return nil, err
		}
		if stat == nil {
			continue
		}
		if err := gone.Wait(ctx); err != nil {
			return nil, err
		}
	}
}

type zkEphemeralLease struct {
	neverTold
	lock *zkEphemeral
}

func (l *zkEphemeralLease) Release(ctx context.Context) error {
	session, err := l.lock.open(ctx)
	if err != nil {
		return err
	}
	err = session.Delete(ctx, l.lock.path(), -1)
	if err == zookeeper.ErrNoNode {
		return ErrNotHeld
	}
	return err
}
