package locktest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	rsredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"lockstep/locktest"
)

// redislocks makes locks of bsm/redislock as in its documentation.
func redislocks(c locktest.Client) locktest.Lock {
	client := redislock.New(c.Redis())
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		lock, err := client.Obtain(ctx, c.Key(), c.Lease(), &redislock.Options{RetryStrategy: redislock.LinearBackoff(c.Retry())})
		if err != nil {
			return nil, err
		}
		return locktest.LeaseFunc(func(ctx context.Context) error {
			err := lock.Release(ctx)
			if errors.Is(err, redislock.ErrLockNotHeld) {
				return locktest.ErrNotHeld
			}
			return err
		}), nil
	})
}

func TestRedislock(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, redislocks, locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
}

// redsyncs makes locks of redsync, on one node or several.
func redsyncs(c locktest.Client) locktest.Lock {
	var pools []rsredis.Pool
	for _, client := range c.Nodes() {
		pools = append(pools, goredis.NewPool(client))
	}
	rs := redsync.New(pools...)
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		mutex := rs.NewMutex(c.Key(), redsync.WithExpiry(c.Lease()))
		if err := mutex.LockContext(ctx); err != nil {
			return nil, err
		}
		return locktest.LeaseFunc(func(ctx context.Context) error {
			ok, err := mutex.UnlockContext(ctx)
			var taken *redsync.ErrTaken
			if !ok && (err == nil || errors.As(err, &taken) || errors.Is(err, redsync.ErrLockAlreadyExpired)) {
				return locktest.ErrNotHeld
			}
			return err
		}), nil
	})
}

func TestRedsync(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, redsyncs, locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
}

// redsync waits for all answers, and go-redis for its own read timeout: after a lost reply three
// seconds of the lease are over, which only Until says.
func TestRedsyncOnFiveNodes(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 5}, redsyncs, locktest.WithoutWalk(),
		locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("lost-reply"))
}
