package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// handOut gives the workers twice as many ranges as they play at once, and no more, so that few are
// played needlessly after a find.
func (c *coordinator) handOut(ctx context.Context) {
	if time.Since(c.complain) < hereEvery {
		return
	}
	var late []int
	for k, since := range c.handed {
		switch {
		case k > c.needed:
			c.withdraw(ctx, k)
		case time.Since(since) > 2*max(c.wait, c.q.late):
			late = append(late, k)
		}
	}
	if len(late) > 0 && !c.again(ctx, late) {
		return
	}
	_, slots, _ := c.count()
	for {
		var batch []int
		for ; c.next <= c.needed && len(c.handed)+len(batch) < 2*slots+4 && len(batch) < mostBatch; c.next++ {
			_, failed := c.failed[c.next]
			if _, handed := c.handed[c.next]; !c.has(c.next) && !failed && !handed {
				batch = append(batch, c.next)
			}
		}
		if len(batch) == 0 || !c.publish(ctx, batch) {
			return
		}
	}
}

// again hands out ranges that have been silent for long. They may be lost with a server, or
// forgotten together with the work by another coordinator.
func (c *coordinator) again(ctx context.Context, late []int) bool {
	if err := c.store(ctx); err != nil {
		c.refused(ctx, err)
		return false
	}
	for batch := range slices.Chunk(late, mostBatch) {
		if !c.publish(ctx, batch) {
			return false
		}
	}
	return true
}

// patience raises the ack wait to three times the slowest range.
func (c *coordinator) patience(ctx context.Context) {
	wait := min(3*c.slowest, mostWait)
	if wait <= max(c.wait, leastWait) {
		return
	}
	if _, err := c.q.consumer(ctx, c.job.Work.Version, wait); err == nil {
		c.wait = wait
	}
}

// mostBatch is how many ranges are published at once.
const mostBatch = 256

// publish hands out ranges, except those already in the queue. Those that are refused are handed
// out later.
func (c *coordinator) publish(ctx context.Context, numbers []int) bool {
	once, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	acks := make([]jetstream.PubAckFuture, len(numbers))
	var failed error
	for i, number := range numbers {
		t := task{c.hash, c.span(number)}
		// Only if it is not there yet, as a worker may be playing it.
		var err error
		if acks[i], err = c.q.js.PublishAsync(rangeSubject+"."+c.token+"."+t.key(), nil, jetstream.WithExpectLastSequencePerSubject(0)); err != nil {
			failed = err
		}
	}
	for i, number := range numbers {
		err := failed
		if acks[i] != nil {
			select {
			case <-acks[i].Ok():
				err = nil
			case err = <-acks[i].Err():
			case <-once.Done():
				err = once.Err()
			}
		}
		var api *jetstream.APIError
		if err == nil || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			if _, again := c.handed[number]; again && err == nil {
				c.deaf = true // a worker may have played it
			}
			c.handed[number] = time.Now()
			continue
		}
		failed, c.next = err, min(c.next, number)
	}
	if failed != nil {
		c.refused(ctx, failed)
	}
	return failed == nil
}

// refused reports that ranges are refused, and delays the next attempt.
func (c *coordinator) refused(ctx context.Context, err error) {
	if ctx.Err() == nil {
		c.q.tell(fmt.Sprintf("%s does not take a range (%v): trying again", c.q.where, err))
		c.complain = time.Now()
	}
}

// withdraw takes back a range that is no longer needed.
func (c *coordinator) withdraw(ctx context.Context, number int) {
	t := task{c.hash, c.span(number)}
	_ = c.q.ranges.Purge(ctx, jetstream.WithPurgeSubject(rangeSubject+"."+c.token+"."+t.key())) // else it is played needlessly
	delete(c.handed, number)
}
