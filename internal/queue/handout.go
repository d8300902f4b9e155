package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/shard"
)

// handOut keeps the workers busy: twice as many ranges as they play at once are with them. The servers
// hold no more than that, and a find is not followed by what was handed out in vain.
func (c *coordinator) handOut(ctx context.Context) {
	if time.Since(c.complain) < hereEvery {
		return
	}
	for k := range c.handed {
		if k > c.needed {
			c.withdraw(ctx, k)
		}
	}
	now := time.Now()
	for k, since := range c.handed {
		if now.Sub(since) > 2*max(c.wait, mostWait/4) { // it may have been lost with a server
			if !c.publish(ctx, k) {
				return
			}
		}
	}
	_, slots, _ := c.count()
	for ; c.next <= c.needed && len(c.handed) < 2*slots+4; c.next++ {
		if _, failed := c.failed[c.next]; c.parts[c.next] != nil || failed {
			continue
		}
		if !c.publish(ctx, c.next) {
			return
		}
	}
}

// patience raises the time after which a range is given to another worker to three times the slowest one.
func (c *coordinator) patience(ctx context.Context) {
	wait := min(3*c.slowest, mostWait)
	if wait <= max(c.wait, leastWait) {
		return
	}
	once, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := c.q.consumer(once, c.job.Work.Version, wait); err == nil {
		c.wait = wait
	}
}

// publish hands out one range. One that is handed out already stays as it is.
func (c *coordinator) publish(ctx context.Context, number int) bool {
	t := task{c.hash, shard.Shard{Number: number, Of: c.job.Of}}
	once, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	// Only if it is not there yet: a worker may be at it.
	_, err := c.q.js.Publish(once, rangeSubject+"."+c.token+"."+t.key(), nil, jetstream.WithExpectLastSequencePerSubject(0))
	var api *jetstream.APIError
	if err == nil || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		c.handed[number] = time.Now()
		return true
	}
	if ctx.Err() == nil {
		c.q.tell(fmt.Sprintf("%s does not take a range (%v): trying again", c.q.where, err))
		c.complain = time.Now()
	}
	return false
}

// withdraw takes back a range that is not needed any more.
func (c *coordinator) withdraw(ctx context.Context, number int) {
	t := task{c.hash, shard.Shard{Number: number, Of: c.job.Of}}
	once, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_ = c.q.ranges.Purge(once, jetstream.WithPurgeSubject(rangeSubject+"."+c.token+"."+t.key())) // else it is played in vain
	delete(c.handed, number)
}
