package sim

import (
	"context"

	"lockstep/internal/ports"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// redisPort is redis.Port for one client and one primary, and redis.Conn where it has a connection
// of its own.
type redisPort struct {
	client *client
	to     route
	own    *conn // nil: each command goes over any connection
}

var (
	_ redis.Port = (*redisPort)(nil)
	_ redis.Conn = (*redisPort)(nil)
)

// Do implements redis.Port, with the server that is the primary when the command is sent, and
// redis.Conn. It repeats askOn, since a helper of both would be one more frame between a task's
// code and its switch; see wait of package kernel.
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
	if err := c.receive(l, c.waitFor(ctx, l)); err != nil {
		l.unref()
		if p.own != nil {
			// The reply may still come, and would be taken for that of the next command.
			p.own.Close()
		}
		return redis.Failed(err)
	}
	reply := l.reply
	l.unref()
	return reply
}

func (p *redisPort) Close() { p.own.Close() }

func (p *redisPort) Dial(ctx context.Context) (redis.Conn, error) { return p.dial(ctx) }

func (p *redisPort) dial(ctx context.Context) (*redisPort, error) {
	cn, err := p.client.dial(ctx, p.to)
	if err != nil {
		return nil, err
	}
	if s, ok := cn.host.serv.(*redisServer); ok {
		cn.offset = s.offset // the library's greeting is a command, too
	}
	return &redisPort{client: p.client, own: cn}, nil
}

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

type subscription struct{ *conn }

func (s subscription) Next(ctx context.Context) (string, error) {
	return store.Value[string](s.conn.Next(ctx))
}
