package locktest_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// votes makes locks on several servers, whose holder has entries on at least quorum of them.
func votes(quorum int64) locker {
	return func(c locktest.Client) locktest.Lock {
		nodes := c.Nodes()
		each := func(f func(store *redis.Client) (bool, error)) int64 {
			var yes atomic.Int64
			var all sync.WaitGroup
			for _, n := range nodes {
				all.Go(func() {
					if ok, err := f(n); ok && err == nil {
						yes.Add(1)
					}
				})
			}
			all.Wait()
			return yes.Load()
		}
		return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
			word := rand.Text()
			release := func(ctx context.Context) error {
				return (&hold{}).did(int(each(func(store *redis.Client) (bool, error) {
					ctx, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					n, err := removeOwn.Run(ctx, store, []string{c.Key()}, word).Int()
					return n == 1, err
				})), nil)
			}
			for ctx.Err() == nil {
				asked := time.Now()
				yes := each(func(store *redis.Client) (bool, error) {
					ctx, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					return store.SetNX(ctx, c.Key(), word, c.Lease()).Result()
				})
				if yes >= quorum && time.Since(asked) < c.Lease()/2 {
					return locktest.LeaseFunc(release), nil
				}
				_ = release(context.WithoutCancel(ctx))
				time.Sleep(c.Retry())
			}
			return nil, ctx.Err()
		})
	}
}

// One of three, two of five and half of four are no majority.
func TestAMinority(t *testing.T) {
	for nodes := 2; nodes <= 5; nodes++ {
		locktest.Run(t, locktest.Redis{Nodes: nodes}, votes(int64(nodes)/2+1), locktest.Stories("minority"))
	}
}

func init() {
	for _, nodes := range []int{2, 3, 4, 7} {
		failures[fmt.Sprint("minority of ", nodes)] = failure{func(t *testing.T) {
			locktest.Run(t, locktest.Redis{Nodes: nodes}, votes(int64(nodes)/2), locktest.Stories("minority"))
		}, []string{`locktest.Breaks("minority", "mutual-exclusion")`}}
	}
	failures["minority"] = failure{func(t *testing.T) {
		locktest.Run(t, locktest.Redis{Nodes: 5}, votes(2), locktest.WithoutWalk(), locktest.Breaks("pause"), locktest.Breaks("long-work"))
	}, []string{`locktest.Breaks("minority", "mutual-exclusion")`}}
}
