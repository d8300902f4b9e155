//go:build doors || !lockstepseeded

package locktest_test

import (
	"context"
	"crypto/tls"
	"net"
	"testing"

	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"

	"lockstep/locktest"
)

func init() {
	libraries = append(libraries, library{"rueidislock", locktest.Redis{}, rueidislocks})
}

// rueidislocks makes locks of rueidislock, which renews them and reports their loss.
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

// The entry is the majority of three keys. They expire at a time by the client's clock; if the
// server's clock is ahead, they expire at once. A holder that is cut off hears of its loss when its
// requests time out, which may be five seconds after the keys are gone.
func TestRueidislock(t *testing.T) {
	locktest.Run(t, locktest.Redis{Nodes: 1}, rueidislocks, locktest.WithoutWalk(), locktest.Unjudged(locktest.OwnerOnlyRelease),
		locktest.Breaks("pause"), locktest.Breaks("failover"), locktest.MayBeUntested("failover"), // a client may only give back meanwhile
		locktest.Breaks("skewed-server"), locktest.Breaks("skewed-long-work"), locktest.Breaks("cut-long-work"))
}
