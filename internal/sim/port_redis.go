package sim

import (
	"context"

	"lockstep/internal/world"
)

// redisPort is world.Redis for one client and one primary.
type redisPort struct {
	client *client
	to     route
}

var _ world.Redis = (*redisPort)(nil)

// Do implements world.Redis: one command to whichever server is the primary when
// it is sent. It is redisConn.Do once more: a helper of both would be one more function
// between a task's code and its switch, which costs time; see wait of package kernel.
func (p *redisPort) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	c := p.client
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return world.Failed(err)
	}
	l := c.w.newCall(c)
	l.cmd = cmd
	l.patience = cmd.Patience()
	c.send(l, p.to)
	if err := c.await(ctx, l); err != nil {
		l.unref()
		return world.Failed(err)
	}
	return l.takeReply()
}

// Dial implements world.Redis.
func (p *redisPort) Dial(ctx context.Context) (world.RedisConn, error) {
	return p.dial(ctx)
}

func (p *redisPort) dial(ctx context.Context) (*redisConn, error) {
	c := p.client
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cn := c.dialHost(p.to.pick(c))
	if s, ok := cn.host.serv.(*redisServer); ok {
		cn.offset = s.offset // the greeting of a client library is a command, too
	}
	return &redisConn{cn}, nil
}

// Subscribe implements world.Redis.
func (p *redisPort) Subscribe(ctx context.Context, channel string) (world.Subscription, error) {
	cn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	if reply := cn.Do(ctx, world.Command("SUBSCRIBE", channel)); reply.Err != nil {
		cn.Close()
		return nil, reply.Err
	}
	return subscription{cn.conn}, nil
}

// redisConn is world.RedisConn.
type redisConn struct{ *conn }

// Do implements world.RedisConn.
func (r *redisConn) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	c := r.client
	c.w.k.Enter()
	if err := ctx.Err(); err != nil {
		return world.Failed(err)
	}
	if r.broken {
		return world.Failed(world.ErrConnection)
	}
	l := c.w.newCall(c)
	l.cmd, l.conn = cmd, r.conn
	l.patience = cmd.Patience()
	c.send(l, nil)
	if err := c.await(ctx, l); err != nil {
		l.unref()
		// Its reply may still come, and would be taken for that of the next
		// command: a client library closes such a connection.
		r.Close()
		return world.Failed(err)
	}
	return l.takeReply()
}

// subscription is world.Subscription.
type subscription struct{ cn *conn }

// Next implements world.Subscription.
func (s subscription) Next(ctx context.Context) (string, error) {
	return answer[string](s.cn.next(ctx))
}

// Close implements world.Subscription.
func (s subscription) Close() { s.cn.Close() }
