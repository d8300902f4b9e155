package etcdtest_test

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"lockstep/locktest"
	"lockstep/locktest/etcdtest"
)

// mutexes makes locks of etcd's package concurrency, with one session for each client.
func mutexes(c locktest.Client) locktest.Lock {
	client, err := etcdtest.NewClient(c)
	if err != nil {
		return locktest.NoLock(err)
	}
	return &mutexLock{c: c, client: client}
}

type mutexLock struct {
	c       locktest.Client
	client  *clientv3.Client
	session *concurrency.Session
}

// Acquire makes a new session when the old one has ended, as its keys are gone.
func (l *mutexLock) Acquire(ctx context.Context) (locktest.Lease, error) {
	if err := l.open(ctx); err != nil {
		return nil, err
	}
	mutex := concurrency.NewMutex(l.session, l.c.Key())
	if err := mutex.Lock(ctx); err != nil {
		return nil, err
	}
	return &mutexLease{mutex, l.session}, nil
}

func (l *mutexLock) open(ctx context.Context) error {
	if l.session != nil {
		select {
		case <-l.session.Done():
		default:
			return nil
		}
	}
	lease, err := l.client.Grant(ctx, int64(l.c.Lease()/time.Second))
	if err == nil {
		l.session, err = concurrency.NewSession(l.client, concurrency.WithLease(lease.ID))
	}
	return err
}

type mutexLease struct {
	mutex   *concurrency.Mutex
	session *concurrency.Session
}

func (l *mutexLease) Lost() <-chan struct{} { return l.session.Done() }

func (l *mutexLease) Token() int64 { return l.mutex.Header().Revision }

func (l *mutexLease) Release(ctx context.Context) error { return l.mutex.Unlock(ctx) }

// The lock of etcd's library keeps mutual exclusion, except for a holder that is paused for longer
// than its lease, whose writes the token (the revision) stops, and for one that is cut off: the
// library looks once in a second whether its lease is over (deadlineLoop). When a request or its
// answer is lost, the library waits until its context ends and keeps the session alive, so the key
// stays and no other client gets the lock until this one asks again. The same happens when a
// release fails. Which places of the walk show that depends on Go's scheduler, so there is no walk.
func TestMutex(t *testing.T) {
	locktest.Run(t, etcdtest.Cluster{}, mutexes, locktest.Breaks("pause"), locktest.Breaks("late-cut-long-work"),
		locktest.Breaks("lost-request", locktest.Progress), locktest.WithoutWalk())
}

// A lock is made for one client, from a client of the library.
func ExampleNewClient() {
	_ = func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Run(t, etcdtest.Cluster{}, func(c locktest.Client) locktest.Lock {
			client, err := etcdtest.NewClient(c)
			if err != nil {
				return locktest.NoLock(err)
			}
			return &mutexLock{c: c, client: client} // mylock.New(client, c.Key(), c.Lease())
		}, locktest.Breaks("pause"), locktest.Breaks("late-cut-long-work"))
	}
}
