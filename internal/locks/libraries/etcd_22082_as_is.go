// Lock etcd-22082-as-is
//
// Library: go.etcd.io/etcd/client/v3/concurrency
// Store: etcd
// Lease: 1s
// Bug: etcd-22082
//
// Idea: etcd-concurrency in an application that repeats an Unlock without an answer, which deletes the lock
// that the same session has taken since.
//
// Protocol:
//  1. As etcd-concurrency: one session, a new Mutex for each acquisition.
//  2. Unlock with the response timeout; after an error, Unlock of the same Mutex once more in the background, a retry interval later.
//
// Guarantees: as etcd-concurrency as long as every Unlock is answered.
//
// Breaks when: the answer to an Unlock is lost, and its repetition meets the next hold of the same
// session: the library deletes the key by its name, whose create revision it knows and does not compare.
//
// Source: https://github.com/etcd-io/etcd/issues/22082; the library's code at v3.6.5, mutex.go.
//
// 想法：etcd-concurrency，用在会重发没有答复的 Unlock 的应用里：它会删掉同一个会话后来拿到的
// 锁。
//
// 协议：
//  1. 同 etcd-concurrency：一个会话，每次拿锁用一个新的 Mutex。
//  2. Unlock 的期限是响应超时；出错后，过一个重试间隔，在后台对同一个 Mutex 再 Unlock 一次。
//
// 保证：只要每个 Unlock 都有答复，就同 etcd-concurrency。
//
// 何时被破坏：Unlock 的答复丢失，重发的那一次碰上同一个会话的下一次持有：库按名字删键；它知道
// 创建 revision，却不比较。
//
// 来源：https://github.com/etcd-io/etcd/issues/22082；库在 v3.6.5 的代码，mutex.go。

package libraries

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"

	"lockstep/internal/locks"
)

func init() {
	register(Library{ID: "etcd-22082-as-is", New: newEtcdUnlockAgain, OwnKeys: true, Untapped: true})
}

func newEtcdUnlockAgain(d Deps) (locks.Lock, error) {
	lock, err := newEtcdConcurrency(d)
	return etcdUnlockAgain{lock}, err
}

type etcdUnlockAgain struct{ locks.Lock }

func (l etcdUnlockAgain) Acquire(ctx context.Context) (locks.Lease, error) {
	lease, err := l.Lock.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	return etcdUnlockAgainLease{lease.(*etcdLease)}, nil
}

type etcdUnlockAgainLease struct{ *etcdLease }

func (l etcdUnlockAgainLease) Release(ctx context.Context) error {
	err := l.etcdLease.Release(ctx)
	if err != nil && !errors.Is(err, locks.ErrNotHeld) {
		go unlockAgain(l.mutex, l.of.Retry)
	}
	return err
}

func unlockAgain(mutex *concurrency.Mutex, later time.Duration) {
	time.Sleep(later)
	_ = mutex.Unlock(context.Background())
}
