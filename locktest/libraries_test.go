package locktest_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	rsredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"lockstep/locktest"
)

// redislocks are those of bsm/redislock, as its documentation uses them.
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

// redsyncs are those of redsync, on one node or several.
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

func TestRedsyncOnFiveNodes(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 5}, redsyncs, locktest.WithoutWalk(), locktest.Breaks("pause"), locktest.Breaks("long-work"))
}

// rueidislocks are those of rueidislock, which renews them by itself and tells their holder when they are lost.
func rueidislocks(c locktest.Client) locktest.Lock {
	locker, err := rueidislock.NewLocker(rueidislock.LockerOption{
		KeyValidity: c.Lease(),
		ClientOption: rueidis.ClientOption{
			InitAddress: c.Addresses(),
			DialCtxFn: func(ctx context.Context, addr string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
				return c.Dial(ctx, "tcp", addr)
			},
		},
	})
	if err != nil {
		return locktest.NoLock(err)
	}
	c.Cleanup(locker.Close)
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		// The end of the context that the library is given would also be that of the lock.
		waiting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
		stop := context.AfterFunc(ctx, giveUp)
		held, release, err := locker.WithContext(waiting, c.Key())
		if !stop() && err == nil {
			release()
			err = ctx.Err()
		}
		if err != nil {
			giveUp()
			return nil, err
		}
		return &rueidisLease{held, release, giveUp}, nil
	})
}

type rueidisLease struct {
	held    context.Context
	release context.CancelFunc
	end     context.CancelFunc
}

func (l *rueidisLease) Lost() <-chan struct{} { return l.held.Done() }

func (l *rueidisLease) Release(context.Context) error {
	lost := l.held.Err() != nil
	l.release()
	l.end()
	if lost {
		return locktest.ErrNotHeld
	}
	return nil
}

// The library takes most of three keys for its entry, and says when they end by the clock of the client: where that of
// the server is ahead, they end at once.
func TestRueidislock(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, rueidislocks, locktest.WithoutWalk(), locktest.Unjudged(locktest.OwnerOnlyRelease),
		locktest.Breaks("pause"), locktest.Breaks("failover"), locktest.Breaks("skewed-server"), locktest.Breaks("skewed-long-work"))
}
