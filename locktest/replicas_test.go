package locktest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/locktest"
)

// confirmed makes locks that count only when a replica has confirmed them: SET and WAIT on one
// connection.
func confirmed(c locktest.Client) locktest.Lock {
	l := &owned{c, c.Redis()}
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		conn := l.store.Conn()
		defer conn.Close()
		for {
			h := &hold{owned: l, word: rand.Text()}
			ok, err := conn.SetNX(ctx, c.Key(), h.word, c.Lease()).Result()
			if err != nil {
				return nil, err
			}
			if ok {
				n, err := conn.Wait(ctx, 1, time.Second).Result()
				if err == nil && n >= 1 {
					return h, nil
				}
				_ = h.Release(ctx)
				return nil, errors.Join(errors.New("no replica has confirmed the lock"), err)
			}
			select {
			case <-time.After(c.Retry()):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	})
}

// A lock that a replica has confirmed survives the failover to it. The second replica confirms
// after the failover.
func TestAConfirmedLockSurvivesTheFailover(t *testing.T) {
	failover := locktest.Stories("contention", "failover")
	locktest.Run(t, locktest.Redis{Replicas: 2}, confirmed, failover)
	locktest.Run(t, locktest.Redis{Replicas: 2}, with(bareHolds), failover, locktest.Breaks("failover"), locktest.Name("unconfirmed"))
}

// told makes locks whose waiters listen for the release instead of polling. They still ask once per
// lease, since a message can be lost.
func told(c locktest.Client) locktest.Lock {
	l := &owned{c, c.Redis()}
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		sub := l.store.Subscribe(ctx, "released")
		defer sub.Close()
		for {
			h := &hold{owned: l, word: rand.Text()}
			ok, err := l.store.SetNX(ctx, c.Key(), h.word, c.Lease()).Result()
			if err != nil {
				return nil, err
			}
			if ok {
				return announced{h}, nil
			}
			select {
			case <-sub.Channel():
			case <-time.After(c.Lease()):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	})
}

// announced is a hold whose release is published, by a transaction that does nothing if the entry
// has changed.
type announced struct{ *hold }

func (h announced) Release(ctx context.Context) error {
	err := h.store.Watch(ctx, func(tx *redis.Tx) error {
		word, err := tx.Get(ctx, h.c.Key()).Result()
		if word != h.word {
			return errors.Join(locktest.ErrNotHeld, err)
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, h.c.Key())
			p.Publish(ctx, "released", "")
			return nil
		})
		return err
	}, h.c.Key())
	if errors.Is(err, redis.TxFailedErr) {
		return locktest.ErrNotHeld
	}
	return err
}

// Waiters that listen for a release, and a release that is a transaction. (No walk: go-redis closes
// a PubSub under a mutex that it holds while it reconnects, so virtual time can stand still after a
// restart.)
func TestChannelsAndTransactions(t *testing.T) {
	locktest.Run(t, locktest.Redis{}, told, locktest.WithoutWalk(), locktest.Breaks("pause"), locktest.Breaks("long-work"), locktest.Breaks("failover"))
}

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

// loadsOnce is a lock whose release is a script that the server knows until it restarts.
func loadsOnce(c locktest.Client) locktest.Lock {
	l := &owned{c, c.Redis()}
	hash, err := removeOwn.Load(context.Background(), l.store).Result()
	if err != nil {
		return locktest.NoLock(err)
	}
	return locktest.LockFunc(func(ctx context.Context) (locktest.Lease, error) {
		h, err := l.take(ctx)
		return locktest.LeaseFunc(func(ctx context.Context) error {
			return h.did(l.store.EvalSha(ctx, hash, []string{c.Key()}, h.word).Int())
		}), err
	})
}

func init() {
	failures["loads once"] = failure{runs(loadsOnce, locktest.Stories("contention"), locktest.Walk(), locktest.Breaks("walk/pause")),
		[]string{"TestThatFails/walk/restart", "releases the lock and gets an error at ", "nothing has gone wrong since ", "The error: NOSCRIPT"}}
	for _, nodes := range []int{2, 3, 4, 7} {
		failures[fmt.Sprint("minority of ", nodes)] = failure{func(t *testing.T) {
			locktest.Run(t, locktest.Redis{Nodes: nodes}, votes(int64(nodes)/2), locktest.Stories("minority"))
		}, []string{`locktest.Breaks("minority", "mutual-exclusion")`}}
	}
	failures["minority"] = failure{func(t *testing.T) {
		locktest.Run(t, locktest.Redis{Nodes: 5}, votes(2), locktest.WithoutWalk(), locktest.Breaks("pause"), locktest.Breaks("long-work"))
	}, []string{`locktest.Breaks("minority", "mutual-exclusion")`}}
}
