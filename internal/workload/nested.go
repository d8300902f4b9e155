package workload

import (
	"context"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// work is busy for a while. A plan with nested acquisitions spends half of it
// with the lock taken so many times more, and the other half with the lock as it
// was. A lock that is not re-entrant waits for itself there, for as long as its
// client's patience lasts. The error is that of ctx.
func (c *Client) work(ctx context.Context, length time.Duration) error {
	if c.Plan.Nested == 0 {
		return c.busy(ctx, length)
	}
	var inner []locks.Lease
	for len(inner) < c.Plan.Nested {
		lease := c.reenter(ctx, int64(len(inner)+1))
		if lease == nil {
			break // the client goes on with what it has
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

// busy works for so long, and for as much longer as faults make it. Work that hangs looks
// at nothing, not even at the news that the lock is lost.
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
	// A failed attempt is no event of its own: only the outcome counts here.
	lease, err := c.acquire(ctx, func(error) {})
	if lease == nil {
		c.Control.Record(history.ReenterFailed, 0, depth, err.Error())
		return nil
	}
	c.Control.Record(history.Reentered, lease.Token(), depth, "")
	return lease
}

// leave gives the lock back once.
func (c *Client) leave(lease locks.Lease, depth int64) {
	text := ""
	if err := lease.Release(c.Env.Background()); err != nil {
		text = err.Error()
	}
	c.Control.Record(history.Left, lease.Token(), depth, text)
}
