package workload

import (
	"context"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// work is busy for a while. A plan with nested acquisitions spends half of it with the lock taken
// that many more times. A lock that is not re-entrant waits for itself, until its client's patience
// is over. The error is that of ctx.
func (c *Client) work(ctx context.Context, length time.Duration) error {
	if c.Plan.Nested == 0 {
		return c.busy(ctx, length)
	}
	var inner []locks.Lease
	for len(inner) < c.Plan.Nested {
		lease := c.reenter(ctx, int64(len(inner)+1))
		if lease == nil {
			break
		}
		inner = append(inner, lease)
	}
	err := c.busy(ctx, length/2)
	for len(inner) > 0 {
		c.leave(inner[len(inner)-1], int64(len(inner)))
		inner = inner[:len(inner)-1]
	}
	if err != nil {
		return err
	}
	return c.Env.Sleep(ctx, length-length/2)
}

// busy works for length, and longer because of faults. Work that hangs does not notice that the
// lock is lost.
func (c *Client) busy(ctx context.Context, length time.Duration) error {
	for {
		if err := c.Env.Sleep(ctx, length); err != nil {
			return err
		}
		if length = c.Control.ExtraWork(); length == 0 {
			return nil
		}
		if length >= faults.HangTime {
			ctx = c.Env.Background()
		}
	}
}

// reenter takes the lock again; nil when the client does not get it.
func (c *Client) reenter(ctx context.Context, depth int64) locks.Lease {
	c.Control.Record(history.Reenters, 0, depth, "")
	// Only the outcome is recorded, not the failed attempts.
	lease, err := c.acquire(ctx, func(error) {})
	if lease == nil {
		c.Control.Record(history.ReenterFailed, 0, depth, err.Error())
		return nil
	}
	c.Control.Record(history.Reentered, lease.Token(), depth, "")
	return lease
}

// leave releases an inner lease.
func (c *Client) leave(lease locks.Lease, depth int64) {
	text := ""
	if err := lease.Release(c.Env.Background()); err != nil {
		text = err.Error()
	}
	c.Control.Record(history.Left, lease.Token(), depth, text)
}
