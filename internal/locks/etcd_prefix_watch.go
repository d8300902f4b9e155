// Lock etcd-prefix-watch
//
// Idea: the queue of etcd-mutex, made from the features of etcd that the document
// lists: a key below a prefix for each client, revisions for their order, and one
// watch of the whole prefix, which tells every client of every change.
//
// Protocol:
//  1. Once per process: GRANT lease, then KEEPALIVE lease in the background, at once and every third of the lease. No answer for a lease's time, or "not found": the session is over.
//  2. TXN: if key lock/<lease> has the create revision 0, PUT it with the lease, else GET it; and GET the key below lock/ that was created first. It is the client's own: the lock is held.
//  3. Else WATCH all keys below lock/, from the next revision on. After each deletion GET the key that was created first: when it is the client's own, the lock is held; its create revision is its token.
//  4. The client's own key was deleted: the session has expired meanwhile: an error.
//  5. If 3 or 4 failed, or to release: DELETE its own key.
//
// Guarantees: as etcd-mutex: one holder while its session lasts, in the order of arrival, and
// tokens grow.
//
// Breaks when: as etcd-mutex. In addition, a release wakes all waiting clients, and each of them
// asks who is the first; a client in the queue that gives up wakes them, too.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 263-275:
// prefix and revision for the queue, watch for a key or a prefix; etcd documentation,
// API, watch: a range of keys.

package locks

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "etcd-prefix-watch", Store: etcd.ID, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &etcdPrefixWatch{etcdMutex{Deps: d}} },
	})
}

type etcdPrefixWatch struct{ etcdMutex }

func (l *etcdPrefixWatch) Acquire(ctx context.Context) (Lease, error) {
	p, first, err := l.enter(ctx)
	if err != nil {
		return nil, err
	}
	if !first {
		if err := l.waitFirst(ctx, p); err != nil {
			_ = p.Release(l.Env.Background())
			return nil, err
		}
	}
	return p, nil
}

// waitFirst waits until the own key is the one that was created first. A broken stream is
// reopened after the last change that it has delivered.
func (l *etcdPrefixWatch) waitFirst(ctx context.Context, p *place) error {
	for from := p.created + 1; ; {
		first, err := l.watchQueue(ctx, p, &from)
		if first || errors.Is(err, errEtcdSession) {
			return err
		}
		if err := l.Env.Sleep(ctx, l.Retry); err != nil {
			return err
		}
	}
}

// watchQueue is waitFirst on one stream; an error of etcd's means that it broke.
func (l *etcdPrefixWatch) watchQueue(ctx context.Context, p *place, from *int64) (first bool, err error) {
	watch, err := l.etcd().Watch(ctx, etcd.Watch{Key: l.prefix(), From: *from, Prefix: true})
	if err != nil {
		return false, err
	}
	defer watch.Close()
	for {
		event, err := watch.Next(ctx)
		switch {
		case err != nil:
			return false, err
		case event.Deleted && event.Key == p.key:
			return false, errEtcdSession
		}
		*from = event.Revision + 1
		if !event.Deleted {
			continue // a client behind this one
		}
		queue, err := l.etcd().Do(ctx, etcd.Op{Kind: etcd.Get, Key: l.prefix(), Prefix: true, FirstCreated: true})
		if err != nil {
			return false, err
		}
		if kvs := queue.Responses[0].KVs; len(kvs) > 0 && kvs[0].CreateRevision == p.created {
			return true, nil
		}
	}
}
