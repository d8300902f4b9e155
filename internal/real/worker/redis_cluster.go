package worker

import (
	"context"
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/world"
)

// shardedPort is world.Redis for a Redis Cluster. It is not go-redis's ClusterClient,
// which hides the server that a command goes to, and sends some commands again; it is
// the client of the simulated world: it remembers for each key who serves it, follows
// redirections, and asks another node the next time when one has not answered.
type shardedPort struct {
	w      *worker
	serves map[string]int // by key: index of the server; guarded by the worker's turns
}

var _ world.Redis = (*shardedPort)(nil)

// connectShards gives a lock a Redis Cluster. All nodes may be asked in time, so all
// connections are there when it returns.
func (w *worker) connectShards(d *locks.Deps) error {
	d.Redis = &shardedPort{w: w, serves: map[string]int{}}
	for i := range w.redis {
		if err := w.warm(w.node(i).connect); err != nil {
			return err
		}
	}
	return nil
}

// node is the port of one server.
func (w *worker) node(i int) *port { return &port{w, func() int { return i }} }

// Do implements world.Redis.
func (p *shardedPort) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	key := ""
	if cmd.Len() > 0 {
		key = cmd.Arg(0).String() // of a script, too: its first argument is its first key
	}
	reply := world.Reply{}
	for range world.MaxRedirects + 1 {
		server := p.server(key)
		reply = p.w.node(server).Do(ctx, cmd)
		name := world.MovedTo(reply)
		if name == "" {
			if world.AskElsewhere(reply) {
				p.serves[key] = (server + 1) % len(p.w.redis)
			}
			return reply
		}
		to := slices.Index(p.w.start.Nodes, name)
		if to < 0 {
			return reply // to somebody who is no node: a lock may see that
		}
		p.serves[key] = to
	}
	return reply
}

func (p *shardedPort) server(key string) int {
	if server, known := p.serves[key]; known {
		return server
	}
	return p.w.start.First
}

// Dial implements world.Redis: to whoever serves the lock, as far as is known.
func (p *shardedPort) Dial(ctx context.Context) (world.RedisConn, error) {
	return p.w.node(p.server(locks.Key)).Dial(ctx)
}

// Subscribe implements world.Redis.
func (p *shardedPort) Subscribe(ctx context.Context, channel string) (world.Subscription, error) {
	return p.w.node(p.server(locks.Key)).Subscribe(ctx, channel)
}
