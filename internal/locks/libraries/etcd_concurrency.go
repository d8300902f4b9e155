// Lock etcd-concurrency
//
// Library: go.etcd.io/etcd/client/v3/concurrency
// Store: etcd
// Lease: 1s
//
// Idea: a session, which is a lease that the client library keeps alive, and below one
// prefix a key for each waiting client; the oldest key holds the lock.
//
// Protocol:
//  1. LeaseGrant for whole seconds, once per session; LeaseKeepAlive every third of them.
//  2. Txn: create revision of prefix/lease = 0 -> put it with the lease, get the oldest key below the prefix; else get both.
//  3. If another key is older: wait until the one just before is deleted, and so on.
//  4. To release: delete the own key.
//
// Guarantees: mutual exclusion while the holder stops before its session ends; first
// come, first served; the lock of a dead client is free after the lease; the end of the session is
// signalled (Session.Done), also by the client's own clock.
//
// Breaks when: the holder's process stands still for longer than its lease: etcd gives
// the lock to the next, and the news of the end may come after the write. The library
// has the revision for a token (Header) but does not hand it out by itself. Its mutex is not
// re-entrant: a client that takes its own again gets it at once, and its first unlock lets
// others in. That is a misuse, which the matrix does not play.
//
// Source: the library's documentation and code at v3.6, session.go, key.go and mutex.go.

package libraries

import (
	"context"
	"net"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"lockstep/internal/locks"
)

func init() {
	register(Library{ID: "etcd-concurrency", New: newEtcdConcurrency, OwnKeys: true, Untapped: true})
}

func newEtcdConcurrency(d Deps) (locks.Lock, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints: d.Addrs, DialTimeout: d.Timeout, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return d.Dial(ctx, "tcp", addr) }),
		},
	})
	if err != nil {
		return nil, err
	}
	d.closes(func() { _ = client.Close() })
	l := &etcdConcurrency{Deps: d, client: client}
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	return l, l.open(ctx)
}

// etcdConcurrency is one client with one session at a time, as the library's examples have it.
type etcdConcurrency struct {
	Deps
	client  *clientv3.Client
	session *concurrency.Session
	lost    context.Context // ends with the session
}

// open makes a session unless there is one that has not ended. The lease is granted
// beforehand, because only then does ctx limit the wait for it.
func (l *etcdConcurrency) open(ctx context.Context) error {
	if l.session != nil && l.lost.Err() == nil {
		return nil
	}
	lease, err := l.client.Grant(ctx, int64(l.Lease/time.Second))
	if err != nil {
		return err
	}
	session, err := concurrency.NewSession(l.client, concurrency.WithLease(lease.ID))
	if err != nil {
		return err
	}
	lost, end := context.WithCancel(context.Background())
	l.session, l.lost = session, lost
	go func() {
		<-session.Done()
		end()
	}()
	return nil
}

func (l *etcdConcurrency) Acquire(ctx context.Context) (locks.Lease, error) {
	if err := l.open(ctx); err != nil {
		return nil, failure(ctx, err)
	}
	mutex := concurrency.NewMutex(l.session, l.Name)
	if err := mutex.Lock(ctx); err != nil {
		return nil, failure(ctx, err)
	}
	return &etcdLease{l, mutex, l.lost}, nil
}

type etcdLease struct {
	of    *etcdConcurrency
	mutex *concurrency.Mutex
	lost  context.Context
}

// Release gives etcd the response timeout; the library itself would wait for ever. That
// the key was gone it does not tell, so a release after the end of the session counts as
// one of a lock that is not held.
func (l *etcdLease) Release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.of.Timeout)
	defer cancel()
	err := l.mutex.Unlock(ctx)
	if err == nil && l.lost.Err() != nil {
		return locks.ErrNotHeld
	}
	return err
}

func (l *etcdLease) Lost() context.Context { return l.lost }
func (l *etcdLease) Token() int64          { return 0 }
