package worker

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/world"
)

// connection is world.RedisConn: a connection of the pool that nobody else gets
// meanwhile.
type connection struct {
	w      *worker
	server int
	conn   *redis.Conn

	mu     sync.Mutex
	broken bool
}

// Dial implements world.Redis. The connection is taken out of the pool, or made, and
// greets the server at once: WAIT speaks of what was written before its connection's
// latest command, so a greeting that came only with the first one would make WAIT on a
// fresh connection wait for what others have written.
func (p *port) Dial(ctx context.Context) (world.RedisConn, error) {
	defer p.w.turns.leave()()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	server := p.server()
	c := &connection{w: p.w, server: server, conn: p.w.redis[server].shared.Conn()}
	greeting := waitFor(ctx, func() world.Reply { return raw("PING")(ctx, c.conn) })
	if greeting.Err != nil {
		c.Close()
		return nil, greeting.Err
	}
	return c, nil
}

// Do implements world.RedisConn. After a command without a reply the connection is
// closed: a reply that comes late would be taken for that of the next command.
func (c *connection) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	defer c.w.turns.leave()()
	if c.isBroken() {
		return world.Failed(world.ErrConnection)
	}
	onWire, send := c.w.request(&cmd)
	reply := c.w.exchange(ctx, c.server, &cmd, onWire, func() world.Reply {
		return waitFor(ctx, func() world.Reply { return send(ctx, c.conn) })
	})
	if reply.Kind == world.ReplyError && !serverError(reply.Err) {
		c.Close()
	}
	return reply
}

func (c *connection) isBroken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// Close implements world.RedisConn: the connection goes back to the pool, unless it
// is in the middle of a command.
func (c *connection) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.broken {
		c.broken = true
		_ = c.conn.Close() // the pool closes what it cannot use again
	}
}

// subscription is world.Subscription on a connection of its own. A task of the
// client library's kind reads it all the time, so that what comes while nobody
// waits is kept, and a wait that ends leaves no half-read message behind.
type subscription struct {
	w      *worker
	pubsub *redis.PubSub

	mu       sync.Mutex
	messages []string
	err      error         // no more messages will come
	news     chan struct{} // closed and made anew when messages or err change
}

// Subscribe implements world.Redis. go-redis subscribes anew by itself when a
// connection breaks, and says nothing of it, so it is not given the chance: the
// lock is to know that messages may have been lost.
func (p *port) Subscribe(ctx context.Context, channel string) (world.Subscription, error) {
	defer p.w.turns.leave()()
	server := p.server()
	s := &subscription{w: p.w, pubsub: p.w.redis[server].shared.Subscribe(context.Background()), news: make(chan struct{})}
	cmd := world.Command("SUBSCRIBE", channel)
	reply := p.w.exchange(ctx, server, &cmd, []any{"subscribe", channel}, func() world.Reply {
		return waitFor(ctx, func() world.Reply { return s.confirm(ctx, channel) })
	})
	if reply.Err != nil {
		_ = s.pubsub.Close() // nothing is lost with it
		return nil, reply.Err
	}
	go s.read()
	return s, nil
}

// confirm subscribes and waits for the server's word, for as long as for any reply.
// The answer is given as the integer that it ends with.
func (s *subscription) confirm(ctx context.Context, channel string) world.Reply {
	limited, cancel := context.WithTimeout(context.Background(), s.w.start.Timeout)
	defer cancel()
	if err := s.pubsub.Subscribe(limited, channel); err != nil {
		return world.Failed(normal(ctx, err))
	}
	got, err := s.pubsub.Receive(limited)
	if err != nil {
		return world.Failed(normal(ctx, err))
	}
	if word, ok := got.(*redis.Subscription); ok {
		return world.Int(int64(word.Count))
	}
	return world.Failed(world.ErrConnection) // a stream out of step is as good as broken
}

// read keeps what the server sends until the connection breaks or is closed.
func (s *subscription) read() {
	for {
		got, err := s.pubsub.Receive(context.Background())
		if message, ok := got.(*redis.Message); ok {
			s.tell(message.Payload, nil)
			continue
		}
		if err != nil {
			s.tell("", world.ErrConnection)
			_ = s.pubsub.Close() // it may have subscribed anew
			return
		}
	}
}

// tell adds a message, or the end of all messages.
func (s *subscription) tell(message string, end error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end != nil {
		s.err = end
	} else {
		s.messages = append(s.messages, message)
	}
	close(s.news)
	s.news = make(chan struct{})
}

// Next implements world.Subscription.
func (s *subscription) Next(ctx context.Context) (string, error) {
	defer s.w.turns.leave()()
	for {
		message, news := s.take()
		switch {
		case news == nil:
			return message, nil
		case ctx.Err() != nil:
			return "", ctx.Err()
		case s.ended() != nil:
			return "", s.ended()
		}
		select {
		case <-news:
		case <-ctx.Done():
		}
	}
}

// take returns the next message, or a channel that is closed when something has
// changed.
func (s *subscription) take() (message string, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.messages) == 0 {
		return "", s.news
	}
	message, s.messages = s.messages[0], s.messages[1:]
	return message, nil
}

func (s *subscription) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close implements world.Subscription. The reader ends with the connection.
func (s *subscription) Close() { _ = s.pubsub.Close() } // twice is once
