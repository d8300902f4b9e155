// Lock etcd-mutex
//
// Idea: a queue. Every client puts a key of its own below the lock's name, bound to the lease of
// its session; the oldest key holds the lock, and every other client watches the key right before
// its own. This is the library that comes with etcd's client.
//
// Protocol:
//  1. Once per process: GRANT lease, then KEEPALIVE lease in the background, at once and every third of the lease. No answer for a lease's time, or "not found": the session is over.
//  2. TXN: if key lock/<lease> has the create revision 0, PUT it with the lease, else GET it; and GET the key below lock/ that was created first. It is the client's own: the lock is held.
//  3. Else GET the key below lock/ that was created last before the client's own, WATCH it until it is deleted, and repeat until there is none.
//  4. GET its own key: if it has gone, the session has expired meanwhile: an error.
//     Else the lock is held; its own create revision is its token.
//  5. If 3 or 4 failed, or to release: DELETE its own key.
//
// Guarantees: one holder while its session lasts, in the order of arrival, with one client woken
// per release; a dead client's key goes with its lease; a client that runs learns of the end of its
// session; the state survives the death of a minority of the servers; tokens grow.
//
// Breaks when: the process freezes, or is cut off from the cluster, for longer
// than what is left of the lease; a client that runs is told about a second late.
// When the reply to 2 is lost and the client does not ask again, its key stays in
// the queue for as long as the process lives, and no client behind it gets in.
//
// Source: S4 "Distributed locks on MySQL, Redis, etcd and ZooKeeper", lines 373-377;
// etcd client/v3/concurrency, mutex.go, key.go and session.go, version 3.6.

package locks

import (
	"context"
	"errors"
	"strconv"
	"time"

	"lockstep/internal/store/etcd"
)

func init() {
	Register(Variant{
		ID: "etcd-mutex", Store: etcd.ID, LeaseUnit: time.Second,
		New: func(d Deps) Lock { return &etcdMutex{Deps: d} },
	})
}

// errEtcdSession is the library's error when the own key is gone.
var errEtcdSession = errors.New("mutex: session is expired")

type etcdMutex struct {
	Deps
	session *etcdKeeper // nil before the first acquisition
}

// place is a client's place in the queue, and the lease of its lock.
type place struct {
	*Deps
	session *etcdKeeper
	key     string
	created int64 // revision
}

func (l *etcdMutex) Acquire(ctx context.Context) (Lease, error) {
	p, first, err := l.enter(ctx)
	if err != nil {
		return nil, err
	}
	if first {
		return p, nil
	}
	var own etcd.Result
	if err = l.waitTurn(ctx, p); err == nil {
		own, err = l.etcd().Do(ctx, etcd.Op{Kind: etcd.Get, Key: p.key})
	}
	if err != nil {
		_ = p.Release(l.Env.Background())
		return nil, err
	}
	if len(own.Responses[0].KVs) == 0 {
		return nil, errEtcdSession
	}
	return p, nil
}

func (l *etcdMutex) prefix() string { return l.Name + "/" }

// enter takes a place in the queue for the client's session, and reports whether it is the
// first. After an error the key may exist.
func (l *etcdMutex) enter(ctx context.Context) (p *place, first bool, err error) {
	session, err := l.openSession(ctx)
	if err != nil {
		return nil, false, err
	}
	p = l.placeOf(session)
	first, err = l.queue(ctx, p)
	return p, first, err
}

// placeOf is the place of a session.
func (l *etcdMutex) placeOf(s *etcdKeeper) *place {
	return &place{Deps: &l.Deps, session: s, key: l.prefix() + strconv.FormatInt(s.lease.ID, 16)}
}

// openSession returns the client's session; a new one when there is none or the
// client knows that it is over.
func (l *etcdMutex) openSession(ctx context.Context) (*etcdKeeper, error) {
	if l.session != nil && l.session.lost.Err() == nil {
		return l.session, nil
	}
	lease, err := l.etcd().Grant(ctx, l.Lease)
	if err != nil {
		return nil, err
	}
	l.session = etcdKeepAlive(&l.Deps, lease)
	return l.session, nil
}

// queue takes a place in the queue, or finds the one that this session has, and
// reports whether it is the first.
func (l *etcdMutex) queue(ctx context.Context, p *place) (bool, error) {
	put := etcd.Op{Kind: etcd.Put, Key: p.key, Lease: p.session.lease.ID}
	get := etcd.Op{Kind: etcd.Get, Key: p.key}
	first := etcd.Op{Kind: etcd.Get, Key: l.prefix(), Prefix: true, FirstCreated: true}
	result, err := l.etcd().Txn(ctx, etcd.Txn{
		If:   []etcd.Compare{{Key: p.key}},
		Then: []etcd.Op{put, first},
		Else: []etcd.Op{get, first},
	})
	if err != nil {
		return false, err
	}
	p.created = result.Revision
	if !result.Succeeded {
		p.created = result.Responses[0].KVs[0].CreateRevision
	}
	ahead := result.Responses[1].KVs
	return len(ahead) == 0 || ahead[0].CreateRevision == p.created, nil
}

// waitTurn waits until no key is left that was created before the client's own.
func (l *etcdMutex) waitTurn(ctx context.Context, p *place) error {
	for {
		before, err := l.etcd().Do(ctx, etcd.Op{
			Kind: etcd.Get, Key: l.prefix(), Prefix: true, MaxCreateRevision: p.created - 1,
		})
		if err != nil {
			return err
		}
		kvs := before.Responses[0].KVs
		if len(kvs) == 0 {
			return nil
		}
		if err := l.waitDeleted(ctx, kvs[0].Key, before.Revision); err != nil {
			return err
		}
	}
}

// waitDeleted waits until a key is deleted, from a revision on. The library reopens
// a broken stream by itself, after the last change that it has seen.
func (l *etcdMutex) waitDeleted(ctx context.Context, key string, from int64) error {
	for l.watchDeleted(ctx, key, &from) != nil {
		if err := l.Env.Sleep(ctx, l.Retry); err != nil {
			return err
		}
	}
	return nil
}

// watchDeleted is waitDeleted on one stream; an error means that it broke.
func (l *etcdMutex) watchDeleted(ctx context.Context, key string, from *int64) error {
	watch, err := l.etcd().Watch(ctx, etcd.Watch{Key: key, From: *from})
	if err != nil {
		return err
	}
	defer watch.Close()
	for {
		event, err := watch.Next(ctx)
		if err != nil || event.Deleted {
			return err
		}
		*from = event.Revision + 1
	}
}

// Lost tells when the session is over.
func (p *place) Lost() context.Context { return p.session.lost }

// Token is the create revision of the own key.
func (p *place) Token() int64 { return p.created }

// Release deletes the own key. The library does not check whether it existed.
func (p *place) Release(ctx context.Context) error {
	result, err := p.etcd().Do(ctx, etcd.Op{Kind: etcd.Delete, Key: p.key})
	switch {
	case err != nil:
		return err
	case result.Responses[0].Deleted == 0:
		return ErrNotHeld
	default:
		return nil
	}
}
