package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"lockstep/internal/campaign"
)

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
		c.q.tell(fmt.Sprintf("what is stored as the result of range %s is not taken: %v", t.shard, err))
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
		return nil, errors.New("it has another hash than it is stored under")
	case line.Key != t.shard.String():
		return nil, errors.New("it is of another range")
	}
	return line, nil
}
