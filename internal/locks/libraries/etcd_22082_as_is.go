// Lock etcd-22082-as-is
//
// Library: go.etcd.io/etcd/client/v3/concurrency
// Store: etcd
// Lease: 1s
// Bug: etcd-22082
//
// Idea: etcd-concurrency in an application that repeats an Unlock without an answer, which deletes
// the lock that the same session has taken since.
//
// Protocol:
//  1. As etcd-concurrency: one session, a new Mutex for each acquisition.
//  2. Unlock with the response timeout; after an error, Unlock of the same Mutex once more in the background, a retry interval later.
//
// Guarantees: as etcd-concurrency as long as every Unlock is answered.
//
// Breaks when: the answer to an Unlock is lost, and its repetition meets the next hold of the same
// session: the library deletes the key by its name, whose create revision it knows and does not
// compare.
//
// Source: https://github.com/etcd-io/etcd/issues/22082; the library's code at v3.6.5, mutex.go.

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
