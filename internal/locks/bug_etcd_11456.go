// Lock etcd-11456
//
// Idea: a client that has waited is told that it holds the lock, although its lease
// may have run out in the queue and its key may be gone.
//
// Protocol:
//  1. GRANT lease and KEEPALIVE it, again for each acquisition.
//  2. TXN: PUT a key below lock/, bound to the lease, unless it is there; GET the
//     oldest one. It is the client's own: the lock is held.
//  3. Else GET the key right before its own, WATCH it until it is deleted, and repeat
//     until there is none: the lock is held. The fixed form checks that its own key is
//     still there.
//  4. To release: DELETE the key, REVOKE the lease.
//
// Guarantees: first come, first served, while no lease ends.
//
// Breaks when: a client is cut off or stands still in the queue for longer than its
// lease: the one behind it moves up, and when the holder is done both enter. And, as
// with every lock that never tells its holder of a loss, when a holder's lease ends.
//
// Source: https://github.com/etcd-io/etcd/issues/11456 and pull request 11408; Jepsen, etcd 3.4.3, section 3.2
// (https://jepsen.io/analyses/etcd-3.4.3), and its test, src/jepsen/etcd/lock.clj of jepsen-io/etcd.
//
// 想法：等过的客户端被告知持有锁，尽管它的租约可能在排队时已经结束，键也没了。
//
// 协议：
//  1. 每次拿锁都重新 GRANT 一个租约，并 KEEPALIVE。
//  2. TXN：lock/ 下还没有自己的键，就 PUT 一个，系在租约上；GET 其中最老的键。它就是自己的：拿到
//     锁。
//  3. 否则 GET 紧挨在自己之前的键，WATCH 到它被删除，如此反复，直到前面没有键：拿到锁。修好的形式
//     会检查自己的键还在不在。
//  4. 释放：DELETE 这个键，REVOKE 租约。
//
// 保证：只要没有租约结束，就先到先得。
//
// 何时被破坏：客户端在队列里断开或停住，比租约还久：后面的往前挪一位，持有者做完时两个都进去。
// 另外，和所有从不告知丢锁的锁一样，持有者的租约结束时也会坏。
//
// 来源：https://github.com/etcd-io/etcd/issues/11456 和 pull request 11408；Jepsen，etcd 3.4.3，
// 第 3.2 节（https://jepsen.io/analyses/etcd-3.4.3），以及它的测试，jepsen-io/etcd 的
// src/jepsen/etcd/lock.clj。

package locks

import (
	"context"
	"strconv"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	registerBug(Variant{
		ID: "etcd-11456", File: "bug_etcd_11456.go", Store: etcd.ID, LeaseUnit: time.Second,
		Bug: &Bug{Library: "etcd lock service", Has: "3.4.3", Gone: "pull request 11408, merged", Issue: "https://github.com/etcd-io/etcd/issues/11456"},
		New: func(d Deps) Lock { return &etcdLockService{etcdMutex: etcdMutex{Deps: d}} },
	}, func(d Deps) Lock { return &etcdLockService{etcdMutex: etcdMutex{Deps: d}, looks: true} })
}

type etcdLockService struct {
	etcdMutex
	looks bool // whether the own key is there after the wait
}

func (l *etcdLockService) Acquire(ctx context.Context) (Lease, error) {
	lease, err := l.etcd().Grant(ctx, l.Lease)
	if err != nil {
		return nil, err
	}
	held := &etcdServiceLease{place: &place{Deps: l.Deps, session: etcdKeepAlive(l.Deps, lease), key: l.prefix() + strconv.FormatInt(lease.ID, 16)}}
	if err := l.wait(ctx, held.place); err != nil {
		_ = held.Release(l.Env.Background())
		return nil, err
	}
	return held, nil
}

// wait stands in the queue until the place is the first one, as far as the client knows.
func (l *etcdLockService) wait(ctx context.Context, p *place) error {
	first, err := l.queue(ctx, p)
	if err != nil || first {
		return err
	}
	if err := l.waitTurn(ctx, p); err != nil || !l.looks {
		return err
	}
	own, err := l.etcd().Do(ctx, etcd.Op{Kind: etcd.Get, Key: p.key})
	if err == nil && len(own.Responses[0].KVs) == 0 {
		err = errEtcdSession
	}
	return err
}

// etcdServiceLease is a lock whose lease ends with it. Nobody tells its holder of a loss.
type etcdServiceLease struct{ *place }

func (l *etcdServiceLease) Lost() context.Context { return nil }

func (l *etcdServiceLease) Release(ctx context.Context) error {
	err := l.place.Release(ctx)
	l.session.stop()
	_ = l.etcd().Revoke(ctx, l.session.lease.ID)
	return err
}
