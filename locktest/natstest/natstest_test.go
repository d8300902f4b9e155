package natstest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/locktest"
	"lockstep/locktest/natstest"
)

// bucket is a lock as applications write it on nats.go: Create, and a release that names the
// revision or, if blind, does not. A blind one renews its key until then.
type bucket struct {
	c     locktest.Client
	js    jetstream.JetStream
	blind bool
}

func newBucket(blind bool) func(c locktest.Client) locktest.Lock {
	return func(c locktest.Client) locktest.Lock {
		conn, err := natstest.Connect(c)
		if err != nil {
			return locktest.NoLock(err)
		}
		js, err := jetstream.New(conn)
		if err != nil {
			return locktest.NoLock(err)
		}
		return bucket{c, js, blind}
	}
}

func (b bucket) Acquire(ctx context.Context) (locktest.Lease, error) {
	bucket := b.js.CreateKeyValue
	if b.blind {
		bucket = b.js.CreateOrUpdateKeyValue
	}
	kv, err := bucket(ctx, jetstream.KeyValueConfig{Bucket: "locks", TTL: b.c.Lease()})
	if err != nil {
		return nil, err
	}
	for {
		revision, err := kv.Create(ctx, b.c.Key(), []byte(b.c.Name()))
		switch {
		case err == nil:
			life, stop := context.WithCancel(context.Background())
			b.c.Cleanup(stop)
			if b.blind {
				go b.renew(life, kv, revision)
			}
			return locktest.LeaseFunc(func(ctx context.Context) error {
				stop()
				if b.blind {
					return kv.Purge(ctx, b.c.Key())
				}
				err := kv.Delete(ctx, b.c.Key(), jetstream.LastRevision(revision))
				var said *jetstream.APIError
				if errors.As(err, &said) && said.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
					return locktest.ErrNotHeld
				}
				return err
			}), nil
		case !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrNoStreamResponse): // another client has it, or there is no leader
			return nil, err
		}
		select {
		case <-time.After(b.c.Retry()):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// renew writes the key again at each third of the lease.
func (b bucket) renew(life context.Context, kv jetstream.KeyValue, revision uint64) {
	for {
		select {
		case <-life.Done():
			return
		case <-time.After(b.c.Lease() / 3):
		}
		ctx, cancel := context.WithTimeout(life, b.c.Timeout())
		if next, err := kv.Update(ctx, b.c.Key(), []byte(b.c.Name()), revision); err == nil {
			revision = next
		}
		cancel()
	}
}

// Stories in which a message is lost are left out. They leave a dead connection, which nats.go
// notices by its pings, one in two minutes; until then the client gets no lock.
func TestALockOnNatsGo(t *testing.T) {
	locktest.Run(t, natstest.Cluster{}, newBucket(false),
		locktest.Stories("pause", "crash", "contention", "failover"), locktest.Breaks("pause"))
}

// Time passes in a pause, though nats.go holds a mutex while it writes, for which others wait.
func TestABlindDelete(t *testing.T) {
	locktest.Run(t, natstest.Cluster{}, newBucket(true),
		locktest.Stories("pause"), locktest.Breaks("pause", "mutual-exclusion", "owner-only-release"))
}

// A lock is made for one client, from a connection of the library.
func ExampleConnect() {
	_ = func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Run(t, natstest.Cluster{}, func(c locktest.Client) locktest.Lock {
			conn, err := natstest.Connect(c)
			if err != nil {
				return locktest.NoLock(err)
			}
			js, err := jetstream.New(conn)
			if err != nil {
				return locktest.NoLock(err)
			}
			return bucket{c: c, js: js} // mylock.New(js, c.Key(), c.Lease())
		}, locktest.Breaks("pause"))
	}
}
