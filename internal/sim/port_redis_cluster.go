package sim

import (
	"context"

	"lockstep/internal/sim/redis"
	"lockstep/internal/world"
)

// shardedPort is world.Redis for one client of a Redis Cluster. It remembers for each
// key who serves it, follows redirections, and asks another node the next time when
// one has not answered: that one executes the command or knows better.
type shardedPort struct {
	client  *client
	cluster *redisCluster
	serves  map[string]*host // by key
	at      *host            // who is asked about a key of which nothing is known
}

var _ world.Redis = (*shardedPort)(nil)

func newShardedPort(c *client, cluster *redisCluster) *shardedPort {
	return &shardedPort{client: c, cluster: cluster, serves: map[string]*host{}, at: cluster.primary()}
}

// Do implements world.Redis.
func (p *shardedPort) Do(ctx context.Context, cmd world.Cmd) world.Reply {
	key := ""
	if keys := redis.KeysOf(&cmd); len(keys) > 0 {
		key = keys[0]
	}
	reply := world.Reply{}
	for range world.MaxRedirects + 1 {
		h := p.server(key)
		reply = (&redisPort{client: p.client, to: oneHost{h}}).Do(ctx, cmd)
		name := world.MovedTo(reply)
		if name == "" {
			if world.AskElsewhere(reply) {
				p.serves[key] = p.after(h)
			}
			return reply
		}
		p.serves[key] = p.named(name)
	}
	return reply
}

func (p *shardedPort) server(key string) *host {
	if h := p.serves[key]; h != nil {
		return h
	}
	return p.at
}

func (p *shardedPort) named(name string) *host {
	for _, n := range p.cluster.nodes {
		if n.name == name {
			return &n.host
		}
	}
	panic("sim: a node of a cluster redirects to a node that is none: " + name)
}

// after returns the node after another one, whom a client asks next.
func (p *shardedPort) after(h *host) *host {
	nodes := p.cluster.nodes
	for i, n := range nodes {
		if &n.host == h {
			return &nodes[(i+1)%len(nodes)].host
		}
	}
	return h
}

// Dial implements world.Redis: to whoever serves the lock, as far as is known.
func (p *shardedPort) Dial(ctx context.Context) (world.RedisConn, error) {
	return (&redisPort{client: p.client, to: oneHost{p.server(p.client.key)}}).Dial(ctx)
}

// Subscribe implements world.Redis.
func (p *shardedPort) Subscribe(ctx context.Context, channel string) (world.Subscription, error) {
	return (&redisPort{client: p.client, to: oneHost{p.server(p.client.key)}}).Subscribe(ctx, channel)
}

// oneHost is the route to one server.
type oneHost struct{ host *host }

func (o oneHost) pick(*client) *host { return o.host }
