package sim

import (
	"context"

	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// redisPort is redis.Port for one client and one primary, and redis.Conn where it has a connection of its own.
type redisPort struct {
	client *client
	to     route
	own    *conn // nil: each command goes over any connection
}

var (
	_ redis.Port = (*redisPort)(nil)
	_ redis.Conn = (*redisPort)(nil)
)

// Do implements redis.Port, one command to whichever server is the primary when it is sent, and redis.Conn. It is
// askOn once more: a helper of both would be one more function between a task's code and its switch, which costs
// time; see wait of package kernel.
func (p *redisPort) Do(ctx context.Context, cmd redis.Cmd) redis.Reply {
	c := p.client
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return redis.Failed(err)
	}
	if p.own != nil && p.own.broken {
		return redis.Failed(ports.ErrConnection)
	}
	l := c.w.newCall(c)
	l.cmd, l.conn = cmd, p.own
	l.patience = cmd.Patience()
	c.send(l, p.to)
	if err := c.await(ctx, l); err != nil {
		l.unref()
		if p.own != nil {
			// Its reply may still come, and would be taken for that of the next
			// command: a client library closes such a connection.
			p.own.Close()
		}
		return redis.Failed(err)
	}
	reply := l.reply
	l.unref()
	return reply
}

// Close implements redis.Conn.
func (p *redisPort) Close() { p.own.Close() }

// Dial implements redis.Port.
func (p *redisPort) Dial(ctx context.Context) (redis.Conn, error) {
	return p.dial(ctx)
}

func (p *redisPort) dial(ctx context.Context) (*redisPort, error) {
	cn, err := p.client.dial(ctx, p.to)
	if err != nil {
		return nil, err
	}
	if s, ok := cn.host.serv.(*redisServer); ok {
		cn.offset = s.offset // the greeting of a client library is a command, too
	}
	return &redisPort{client: p.client, own: cn}, nil
}

// Subscribe implements redis.Port.
func (p *redisPort) Subscribe(ctx context.Context, channel string) (redis.Subscription, error) {
	cn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	if reply := cn.Do(ctx, redis.Command("SUBSCRIBE", channel)); reply.Err != nil {
		cn.Close()
		return nil, reply.Err
	}
	return subscription{cn.own}, nil
}

// subscription is redis.Subscription.
type subscription struct{ cn *conn }

// Next implements redis.Subscription.
func (s subscription) Next(ctx context.Context) (string, error) {
	return store.Value[string](s.cn.Next(ctx))
}

// Close implements redis.Subscription.
func (s subscription) Close() { s.cn.Close() }
