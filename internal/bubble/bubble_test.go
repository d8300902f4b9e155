package bubble_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

func client(c *bubble.Client, addr string) *redis.Client {
	r := redis.NewClient(&redis.Options{Addr: addr, Dialer: c.Dial, DialTimeout: c.Timeout(), ReadTimeout: c.Timeout(), WriteTimeout: c.Timeout()})
	c.Cleanup(func() { _ = r.Close() })
	return r
}

func redislocks(c *bubble.Client) (bubble.Lock, error) {
	r := redislock.New(client(c, c.Addresses()[0]))
	return func(ctx context.Context) (bubble.Lease, error) {
		l, err := r.Obtain(ctx, c.Key(), c.Lease(), &redislock.Options{RetryStrategy: redislock.LinearBackoff(c.Retry())})
		if err != nil {
			return bubble.Lease{}, err
		}
		return bubble.Lease{Release: func(ctx context.Context) error {
			err := l.Release(ctx)
			if errors.Is(err, redislock.ErrLockNotHeld) {
				err = locks.ErrNotHeld
			}
			return err
		}}, nil
	}, nil
}

func TestRedislock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bubble.New(bubble.Config{Name: "bsm-redislock", Nodes: 1, Make: redislocks, On: sim.New()})
		defer w.Close()
		p := plan.Default()
		h, err := w.Play(t.Context(), &p, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range h.Events {
			t.Log(i, e.At, h.Name(e.Node), e.Kind, h.Name(e.Peer), h.Text(e.Text))
		}
	})
}
