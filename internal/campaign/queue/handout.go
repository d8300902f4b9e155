package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/campaign"
)

// handOut gives the workers twice as many ranges as they play at once.
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
	slots := c.progress().Slots
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

// again hands out ranges that may be lost with a server, or forgotten by another coordinator.
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

// publish hands out ranges that are not in the queue yet. Refused ones are handed out later.
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
				c.reread = true // a worker may have played it
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
		c.q.notify(fmt.Sprintf("%s does not take a range (%v): trying again", c.q.where, err))
		c.complain = time.Now()
	}
}

// withdraw takes back a range that is no longer needed.
func (c *coordinator) withdraw(ctx context.Context, number int) {
	t := task{c.hash, c.span(number)}
	_ = c.q.ranges.Purge(ctx, jetstream.WithPurgeSubject(rangeSubject+"."+c.token+"."+t.key())) // else it is played needlessly
	delete(c.handed, number)
}

// follow reads the stored results, for a number of ranges, and then those that arrive, until ctx
// ends. If the channel is closed earlier, follow again.
func (c *coordinator) follow(ctx context.Context) (<-chan jetstream.Msg, int, error) {
	results := resultSubject + "." + c.hash
	var messages jetstream.MessagesContext
	ranges := map[string]bool{}
	err := c.q.patiently(ctx, time.Minute, func(once context.Context) error {
		info, err := c.q.results.Info(once, jetstream.WithSubjectFilter(results+".*.*"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			if t, _, err := parseSubject(subject, 2); err == nil && t.shard.Of == c.job.Of {
				ranges[t.span()] = true
			}
		}
		consumer, err := c.q.results.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{results + ".*.*", failedSubject + "." + c.hash + ".*"}, InactiveThreshold: time.Minute,
		})
		if err == nil {
			// Only missing heartbeats tell that the consumer is gone with its server; by default
			// that takes 30 s.
			messages, err = consumer.Messages(jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("%s does not tell what was played (%w): is it up?", c.q.where, err)
	}
	out := make(chan jetstream.Msg)
	context.AfterFunc(ctx, messages.Stop)
	go func() {
		defer close(out)
		for ctx.Err() == nil {
			m, err := messages.Next()
			if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
				return // also when a restart has failed half-way
			}
			if err != nil {
				pause(ctx, 100*time.Millisecond) // it restarts where it was by itself
				continue
			}
			select {
			case out <- m:
			case <-ctx.Done():
			}
		}
	}()
	return out, len(ranges), nil
}

// take takes the result of a range. An invalid one is ignored, and the range is played again.
func (c *coordinator) take(m jetstream.Msg) error {
	t, after, err := parseSubject(m.Subject(), 2)
	if err != nil || t.work != c.hash || t.shard.Of != c.job.Of {
		return nil // of another division
	}
	number := t.shard.Number
	if strings.HasPrefix(m.Subject(), failedSubject+".") {
		if !c.has(number) {
			c.failed[number] = shorten(string(m.Data()))
			delete(c.handed, number)
		}
		return nil
	}
	c.looked[number] = true
	line, err := c.read(m, t, after)
	if err != nil {
		c.q.notify(fmt.Sprintf("what is stored as the result of range %s is not taken: %v", t.shard, err))
		return nil
	}
	known := c.results.Get(line.Key)
	switch err := c.results.Put(line); {
	case errors.Is(err, campaign.ErrDiverged):
		return &Diverged{Shard: t.shard, Lines: [2]*campaign.Line{known, line}}
	case err != nil || known != nil:
		return err
	}
	if d, err := time.ParseDuration(m.Headers().Get(took)); err == nil {
		c.slowest = max(c.slowest, d)
	}
	delete(c.handed, number)
	delete(c.failed, number)
	if c.job.Seen == nil {
		return nil
	}
	needed, err := c.job.Seen(number, line.Data)
	if err != nil {
		return err
	}
	if needed < c.needed {
		c.needed = needed
	}
	return nil
}

// read reads the result of a range.
func (c *coordinator) read(m jetstream.Msg, t task, after []string) (*campaign.Line, error) {
	data, err := unpack(m.Data(), mostResult)
	if err != nil {
		return nil, err
	}
	line, err := campaign.ReadLine("range "+t.shard.String(), c.hash, data)
	switch {
	case err != nil:
		return nil, err
	case len(after) != 1 || after[0] != digest(data):
		return nil, errors.New("its hash is not the one that it is stored under")
	case line.Key != t.shard.String():
		return nil, errors.New("it is of another range")
	}
	return line, nil
}
