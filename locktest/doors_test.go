//go:build doors

package locktest_test

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.etcd.io/etcd/client/v3/concurrency"

	"lockstep/locktest"
	"lockstep/locktest/etcdtest"
	"lockstep/locktest/natstest"
	"lockstep/locktest/sqltest"
)

func init() {
	libraries = append(libraries, library{"etcd", etcdtest.Cluster{}, etcdMutexes}, library{"nats", natstest.Cluster{}, natsKeys},
		library{"mysql", sqltest.MySQL{}, mysqlNames})
}

// etcdMutexes are those of etcd's package concurrency, with a session for each hold.
func etcdMutexes(c locktest.Client) locktest.Lock {
	client, err := etcdtest.NewClient(c)
	if err != nil {
		return locktest.NoLock(err)
	}
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		session, err := concurrency.NewSession(client, concurrency.WithTTL(int(c.Lease()/time.Second)))
		if err != nil {
			return nil, err
		}
		mutex := concurrency.NewMutex(session, c.Key())
		if err := mutex.Lock(ctx); err != nil {
			return nil, err
		}
		return locktest.LeaseFunc(func(context.Context) error { return session.Close() }), nil
	})
}

// natsKeys are locks that create a key of a bucket.
func natsKeys(c locktest.Client) locktest.Lock {
	conn, err := natstest.Connect(c)
	if err != nil {
		return locktest.NoLock(err)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return locktest.NoLock(err)
	}
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		keys, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "locks", TTL: c.Lease()})
		if err != nil {
			return nil, err
		}
		revision, err := keys.Create(ctx, c.Key(), []byte(c.Name()))
		if err != nil {
			return nil, err
		}
		return locktest.LeaseFunc(func(ctx context.Context) error {
			return keys.Delete(ctx, c.Key(), jetstream.LastRevision(revision))
		}), nil
	})
}

// mysqlNames are locks by GET_LOCK.
func mysqlNames(c locktest.Client) locktest.Lock {
	db := sqltest.Open(c)
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		session, err := db.Conn(ctx)
		if err != nil {
			return nil, err
		}
		var got bool
		if err := session.QueryRowContext(ctx, "SELECT GET_LOCK(?, 1)", c.Key()).Scan(&got); err != nil || !got {
			_ = session.Close()
			return nil, context.DeadlineExceeded
		}
		return locktest.LeaseFunc(func(ctx context.Context) error {
			_, err := session.ExecContext(ctx, "SELECT RELEASE_LOCK(?)", c.Key())
			return errors.Join(err, session.Close())
		}), nil
	})
}
