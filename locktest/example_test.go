package locktest_test

import (
	"context"
	"testing"

	"lockstep/locktest"
)

// A lock is made for one client, from what the client has: a connection, a name, a lease. The test
// says which promises the lock is known to break.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Run(t, locktest.Redis{Nodes: 1}, func(c locktest.Client) locktest.Lock {
			lock := &owned{c, c.Redis()} // mylock.New(c.Redis(), c.Key(), c.Lease())
			return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) { return lock.take(ctx) })
		}, locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
	}
}

// The same example, played.
func TestExample(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, func(c locktest.Client) locktest.Lock {
		lock := &owned{c, c.Redis()}
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) { return lock.take(ctx) })
	}, locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
}

// A file tells a story of your own, and Walk puts each kind of fault at every request.
func ExampleStories() {
	_ = func(t *testing.T) {
		locktest.Run(t, locktest.Redis{Nodes: 5}, redsyncs, locktest.Stories("contention", "testdata/slow.yaml"), locktest.Breaks("slow"), locktest.Walk())
	}
}
