package worker

import (
	"context"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/ports"
	"lockstep/internal/store/redis"
)

// connection is redis.Conn: a connection of the pool, reserved for one caller.
type connection struct {
	w      *worker
	server int
	conn   *goredis.Conn
	broken atomic.Bool
}

// Dial implements redis.Port. The connection comes from the pool, or is new, and greets the
// server at once: WAIT covers what was written before the latest command of its connection,
// so after a late greeting, WAIT on a fresh connection would wait for the writes of others.
func (p *port) Dial(ctx context.Context) (redis.Conn, error) {
	defer p.w.turns.leave()()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	server := p.server()
	c := &connection{w: p.w, server: server, conn: p.w.redis[server].shared.Conn()}
	greeting := waitFor(ctx, func() redis.Reply { return raw("PING")(ctx, c.conn) })
	if greeting.Err != nil {
		c.Close()
		return nil, greeting.Err
	}
	return c, nil
}

// Do implements redis.Conn. A command without a reply closes the connection, on which a late
// reply would be mistaken for that of the next command.
func (c *connection) Do(ctx context.Context, cmd redis.Cmd) redis.Reply {
	defer c.w.turns.leave()()
	if c.broken.Load() {
		return redis.Failed(ports.ErrConnection)
	}
	onWire, send := c.w.request(&cmd)
	reply := c.w.exchange(ctx, c.server, &cmd, onWire, func() redis.Reply {
		return waitFor(ctx, func() redis.Reply { return send(ctx, c.conn) })
	})
	if reply.Kind == redis.ReplyError && !serverError(reply.Err) {
		c.Close()
	}
	return reply
}

// Close implements redis.Conn: the connection goes back to the pool, unless it
// is in the middle of a command.
func (c *connection) Close() {
	if !c.broken.Swap(true) {
		_ = c.conn.Close() // the pool closes what it cannot use again
	}
}

// subscription is redis.Subscription on a connection of its own. A goroutine that takes no
// turns reads it all the time, so that messages are kept when no reader waits, and an
// abandoned wait leaves no half-read message.
type subscription struct {
	w        *worker
	pubsub   *goredis.PubSub
	messages *feed[string]
}

// Subscribe implements redis.Port. It prevents go-redis from silently subscribing again when
// a connection breaks, because the lock has to know that messages may have been lost.
func (p *port) Subscribe(ctx context.Context, channel string) (redis.Subscription, error) {
	defer p.w.turns.leave()()
	server := p.server()
	s := &subscription{w: p.w, pubsub: p.w.redis[server].shared.Subscribe(context.Background()), messages: newFeed[string]()}
	cmd := redis.Command("SUBSCRIBE", channel)
	reply := p.w.exchange(ctx, server, &cmd, []any{"subscribe", channel}, func() redis.Reply {
		return waitFor(ctx, func() redis.Reply { return s.confirm(ctx, channel) })
	})
	if reply.Err != nil {
		_ = s.pubsub.Close() // nothing is lost with it
		return nil, reply.Err
	}
	go s.read()
	return s, nil
}

// confirm subscribes and waits for the reply, of which it returns the integer at the end.
func (s *subscription) confirm(ctx context.Context, channel string) redis.Reply {
	limited, cancel := context.WithTimeout(context.Background(), s.w.start.Timeout)
	defer cancel()
	if err := s.pubsub.Subscribe(limited, channel); err != nil {
		return redis.Failed(normal(ctx, err))
	}
	got, err := s.pubsub.Receive(limited)
	if err != nil {
		return redis.Failed(normal(ctx, err))
	}
	if word, ok := got.(*goredis.Subscription); ok {
		return redis.Int(int64(word.Count))
	}
	return redis.Failed(ports.ErrConnection) // a stream out of step is as good as broken
}

// read keeps the messages of the server until the connection breaks or is closed.
func (s *subscription) read() {
	for {
		got, err := s.pubsub.Receive(context.Background())
		if message, ok := got.(*goredis.Message); ok {
			s.messages.put(message.Payload)
			continue
		}
		if err != nil {
			s.messages.finish(ports.ErrConnection)
			_ = s.pubsub.Close() // it may have resubscribed
			return
		}
	}
}

func (s *subscription) Next(ctx context.Context) (string, error) {
	defer s.w.turns.leave()()
	return s.messages.next(ctx)
}

// Close implements redis.Subscription. The reader ends with the connection.
func (s *subscription) Close() { _ = s.pubsub.Close() } // may be called twice
