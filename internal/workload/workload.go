// Package workload is what every client does: wait for the lock, read the resource, work, write the
// resource, release, rest. It depends only on ports, so every world runs the same code.
package workload

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/ports"
)

// Control is how a client reports to its world. Faults that wait for a moment act before the call
// returns, and a frozen client is held back.
type Control interface {
	// Record adds an event of this client to the history.
	Record(kind history.Kind, token, value int64, text string)
	// Reach reports a moment of this client.
	Reach(kind faults.MomentKind)
	// ExtraWork is called when the work of the critical section is done. It returns how much longer
	// the work takes because of faults since the last call, or 0. See ExtendedWork.
	ExtraWork() time.Duration
}

// Client is one client of a run.
type Client struct {
	Env      ports.Env
	Lock     locks.Lock
	Resource ports.Resource
	Control  Control
	Plan     plan.Workload
	Timeout  time.Duration // how long a client that tries once waits for an answer
	// Rand draws the lengths of work and rest. It is not Env.Rand, since a lock that draws more
	// must not change the workload.
	Rand ports.Rand
}

// Play plays all rounds.
func (c *Client) Play() {
	due := time.Duration(0)
	if c.Plan.Arrivals.Max > 0 {
		due = c.Env.Mono()
	}
	for round := 1; round <= c.Plan.Repeat; round++ {
		c.round(int64(round))
		due = c.rest(due)
	}
	c.Control.Record(history.Finished, 0, 0, "")
}

// rest waits for the next round, and returns when that was due. With arrivals, the time counts from
// when the last round was due.
func (c *Client) rest(due time.Duration) time.Duration {
	if c.Plan.Arrivals.Max == 0 {
		c.pause(c.Plan.Rest.Draw(c.Rand))
		return due
	}
	due += c.Plan.Arrivals.Draw(c.Rand)
	c.pause(due - c.Env.Mono())
	return due
}

func (c *Client) round(number int64) {
	c.Control.Record(history.Waits, 0, number, "")
	c.Control.Reach(faults.StartsWaiting)
	lease, _ := c.acquire(c.Env.Background(), c.failed)
	if lease == nil {
		c.Control.Record(history.GaveUp, 0, number, "")
		return
	}
	c.Control.Record(history.Acquired, lease.Token(), number, "")
	c.Control.Reach(faults.Acquires)
	c.criticalSection(lease)
	c.release(lease)
}

// acquire tries to get the lock until the plan's patience or parent ends, and then returns the last
// error. It tries again after an error, since this client's own orphaned entry may hold the lock. A
// client that tries once makes one attempt.
func (c *Client) acquire(parent context.Context, failed func(error)) (locks.Lease, error) {
	patience, once := c.Plan.Wait, c.Plan.TriesOnce()
	if once {
		patience = c.Timeout
	}
	ctx, cancel := c.Env.WithTimeout(parent, patience)
	defer cancel()
	for {
		lease, err := c.Lock.Acquire(ctx)
		if err == nil {
			return lease, nil
		}
		if ctx.Err() != nil || errors.Is(err, locks.ErrTaken) {
			return nil, err
		}
		failed(err)
		if once || c.Env.Sleep(ctx, c.Plan.Retry) != nil {
			return nil, err
		}
	}
}

func (c *Client) failed(err error) {
	c.Control.Record(history.AcquireFailed, 0, 0, err.Error())
}

// criticalSection reads, works and writes, and stops when the client is told that its lock is lost.
func (c *Client) criticalSection(lease locks.Lease) {
	ctx := lease.Lost()
	if ctx == nil {
		ctx = c.Env.Background()
	}
	c.Control.Record(history.Entered, lease.Token(), 0, "")
	c.Control.Reach(faults.Enters)
	version, err := c.Resource.Read(ctx, lease.Token())
	if err == nil {
		c.Control.Reach(faults.InSection)
		err = c.work(ctx, c.Plan.Work.Draw(c.Rand))
	}
	if err == nil {
		c.Control.Reach(faults.AboutToWrite)
		_ = c.Resource.Write(ctx, lease.Token(), version) // the resource records the outcome
		c.Control.Reach(faults.Writes)
	}
	if ctx.Err() != nil {
		c.Control.Record(history.LostLease, lease.Token(), 0, "")
		c.Control.Reach(faults.LosesLease)
	}
}

func (c *Client) release(lease locks.Lease) {
	c.Control.Reach(faults.Releases)
	c.Control.Record(history.Releasing, lease.Token(), 0, "")
	if c.releaseOnce(lease) || c.Plan.ReleaseAgain == 0 {
		return
	}
	c.pause(c.Plan.ReleaseAgain)
	c.Control.Record(history.Releasing, lease.Token(), 0, "")
	c.releaseOnce(lease)
}

// releaseOnce reports whether the outcome is known.
func (c *Client) releaseOnce(lease locks.Lease) bool {
	err := lease.Release(c.Env.Background())
	switch {
	case err == nil:
		c.Control.Record(history.Released, lease.Token(), 0, "")
	case errors.Is(err, locks.ErrNotHeld):
		c.Control.Record(history.NotHeld, lease.Token(), 0, "")
	default:
		c.Control.Record(history.ReleaseFailed, lease.Token(), 0, err.Error())
		return false
	}
	return true
}

func (c *Client) pause(d time.Duration) {
	if d > 0 {
		_ = c.Env.Sleep(c.Env.Background(), d) // the background context never ends
	}
}
