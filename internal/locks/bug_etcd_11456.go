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
// lease: the one behind it moves up, and when the holder is done both enter. And, as with every
// lock that never notifies its holder of a loss, when a holder's lease ends.
//
// Source: https://github.com/etcd-io/etcd/issues/11456 and pull request 11408; Jepsen, etcd 3.4.3,
// section 3.2 (https://jepsen.io/analyses/etcd-3.4.3), and its test, src/jepsen/etcd/lock.clj of
// jepsen-io/etcd.

package locks

import (
	"context"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	registerBug(Variant{
		ID: "etcd-11456", Store: etcd.ID, LeaseUnit: time.Second,
		Bug: &Bug{Library: "etcd lock service", Has: "3.4.3", Gone: "pull request 11408, merged", Issue: "https://github.com/etcd-io/etcd/issues/11456"},
		New: func(d Deps) Lock { return &etcdLockService{etcdMutex: etcdMutex{Deps: d}} },
	}, func(d Deps) Lock { return &etcdLockService{etcdMutex: etcdMutex{Deps: d}, looks: true} })
}

type etcdLockService struct {
	etcdMutex
	looks bool // after the wait, for its own key
}

func (l *etcdLockService) Acquire(ctx context.Context) (Lease, error) {
	lease, err := l.etcd().Grant(ctx, l.Lease)
	if err != nil {
		return nil, err
	}
	held := &etcdServiceLease{place: l.placeOf(etcdKeepAlive(&l.Deps, lease))}
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

// etcdServiceLease is a lock whose lease ends with it. Its holder is not notified of a loss.
type etcdServiceLease struct{ *place }

func (l *etcdServiceLease) Lost() context.Context { return nil }

func (l *etcdServiceLease) Release(ctx context.Context) error {
	err := l.place.Release(ctx)
	l.session.stop()
	_ = l.etcd().Revoke(ctx, l.session.lease.ID)
	return err
}
