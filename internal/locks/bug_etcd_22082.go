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
// the same session: the lock is gone while its client works. The fixed form breaks when the release
// was not executed: the next hold takes over the same key, with the same revision, and the
// repetition removes it.
//
// Source: https://github.com/etcd-io/etcd/issues/22082 and pull request 22115;
// client/v3/concurrency 3.6, mutex.go.

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	registerBug(Variant{
		ID: "etcd-22082", Store: etcd.ID, LeaseUnit: time.Second,
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
	return &etcdUnlockAgainLease{lease.(*place), l.unlock}, nil
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
