package bubble_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/bubble"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
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
		w := bubble.New(bubble.Config{Name: "bsm-redislock", Nodes: 1, Make: redislocks})
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

func playBench(t *testing.T) int {
	p := plan.Default()
	p.Clients = []string{"A", "B", "C", "D", "E"}
	p.Workload.Repeat = 20
	p.Workload.Work = plan.Range{Min: 5 * time.Millisecond, Max: 40 * time.Millisecond}
	p.Workload.Rest = plan.Range{Min: time.Millisecond, Max: 5 * time.Millisecond}
	p.Workload.Retry = 20 * time.Millisecond
	p.Lease = 2 * time.Second
	w := bubble.New(bubble.Config{Name: "bsm-redislock", Nodes: 1, Make: redislocks})
	defer w.Close()
	h, err := w.Play(t.Context(), &p, "", 1)
	if err != nil {
		t.Error(err)
		return 0
	}
	return len(h.Events)
}
