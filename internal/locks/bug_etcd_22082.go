// Lock etcd-22082
//
// Idea: a repeated Unlock deletes a lock that the same session has taken since: it
// deletes the key by its name, and a session gives all its keys the same name.
//
// Protocol:
//  1. As etcd-mutex: the key is lock/<lease of the session>, its create revision the place in the queue.
//  2. To release: DELETE its own key.
//  3. A release without an answer is repeated in the background, a retry interval later. The session may have taken the lock again by then, with another mutex: another key with the same name.
//     The fixed form deletes in a transaction: IF the create revision is the one of this acquisition.
//
// Guarantees: as etcd-mutex as long as every release is answered.
//
// Breaks when: a release is executed and its answer lost, and its repetition meets the next hold of
// the same session: the lock is gone while its client works. The fixed form breaks when the release was
// not executed: the next hold takes over the same key, with the same revision, and the repetition removes it.
//
// Source: https://github.com/etcd-io/etcd/issues/22082 and pull request 22115;
// client/v3/concurrency 3.6, mutex.go.
//
// 想法：重发的 Unlock 删掉了同一个会话后来拿到的锁：它按名字删键，而一个会话给自己的键都用一个
// 名字。
//
// 协议：
//  1. 同 etcd-mutex：键是 lock/<会话的租约>，它的创建 revision 就是在队列里的位置。
//  2. 释放：DELETE 自己的键。
//  3. 没有答复的释放，过一个重试间隔在后台重发。到那时，这个会话可能已经又拿到了锁，用的是另一个
//     mutex：键是新的，名字没变。修好的形式在事务里删：只有创建 revision 还是这一次拿锁时的才删。
//
// 保证：只要每次释放都有答复，就同 etcd-mutex。
//
// 何时被破坏：释放执行了、答复丢失，重发的那一次碰上同一个会话的下一次持有：客户端还在工作，锁
// 就没了。修正后的写法，在释放没有执行时会坏：下一次持有接手同一个键，revision 也相同，重发的
// 释放把它删掉。
//
// 来源：https://github.com/etcd-io/etcd/issues/22082 和 pull request 22115；client/v3/concurrency
// 3.6 的 mutex.go。

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	registerBug(Variant{
		ID: "etcd-22082", File: "bug_etcd_22082.go", Store: etcd.ID, LeaseUnit: time.Second,
		Bug: &Bug{Library: "etcd client/v3/concurrency", Has: "as of July 2026, and in v3.6.5", Issue: "https://github.com/etcd-io/etcd/issues/22082"},
		New: func(d Deps) Lock { return &etcdUnlockAgain{etcdMutex: etcdMutex{Deps: d}, unlock: (*place).Release} },
	}, func(d Deps) Lock {
		return &etcdUnlockAgain{etcdMutex: etcdMutex{Deps: d}, unlock: (*place).releaseFenced}
	})
}

type etcdUnlockAgain struct {
	etcdMutex
	unlock func(*place, context.Context) error
}

func (l *etcdUnlockAgain) Acquire(ctx context.Context) (Lease, error) {
	lease, err := l.etcdMutex.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return &etcdUnlockAgainLease{place: lease.(*place), unlock: l.unlock}, nil
}

type etcdUnlockAgainLease struct {
	*place
	unlock func(*place, context.Context) error
}

func (l *etcdUnlockAgainLease) Release(ctx context.Context) error {
	err := l.unlock(l.place, ctx)
	if err != nil && !errors.Is(err, ErrNotHeld) {
		l.Env.Go(l.Env.Background(), "unlock again", func(ctx context.Context) {
			if l.Env.Sleep(ctx, l.Retry) == nil {
				_ = l.unlock(l.place, ctx)
			}
		})
	}
	return err
}

// releaseFenced deletes the own key if it is still the one of this acquisition.
func (p *place) releaseFenced(ctx context.Context) error {
	result, err := p.etcd().Txn(ctx, etcd.Txn{
		If:   []etcd.Compare{{Key: p.key, Revision: p.created}},
		Then: []etcd.Op{{Kind: etcd.Delete, Key: p.key}},
	})
	switch {
	case err != nil:
		return err
	case !result.Succeeded:
		return ErrNotHeld
	}
	return nil
}
