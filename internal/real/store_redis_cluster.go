package real

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
)

// redisCluster is a Redis Cluster. Its nodes do everything by themselves; what they do
// is asked past all links only so that the history can tell it.
type redisCluster struct {
	anyRedis
	lag     time.Duration
	data    *mesh     // by which nodes replicate
	bus     *mesh     // by which they watch each other
	shards  int       // how many
	leaders []*member // by shard: that serves it, as far as was heard
	ofLock  int       // the shard of the lock's key
	// disturbed: some node has been dead, frozen or parted from others.
	disturbed bool
}

// leastNodeTimeout is the shortest that nodes can keep to: they look ten times per
// second (clusterCron), and this harness shares the machine with them.
const leastNodeTimeout = 250 * time.Millisecond

// checkCluster returns an error if this world cannot start the Redis Cluster of a plan.
func checkCluster(p *plan.Plan, v *locks.Variant) error {
	if err := v.CheckCluster(); err != nil {
		return err
	}
	if t := p.ClusterOf(plan.StoreOf(v)).NodeTimeout; t < leastNodeTimeout {
		return fmt.Errorf("a node timeout of %v is too short for real nodes, which look ten times per second: choose a greater --scale, or set cluster.node-timeout so that %v are left", t, leastNodeTimeout)
	}
	return nil
}

// set is what the plan says of the cluster, or the design demands.
func (c *redisCluster) set() plan.RedisCluster { return c.h.plan.ClusterOf(plan.StoreOf(&c.h.variant)) }

// start implements store; it returns when all nodes serve.
func (c *redisCluster) start(ctx context.Context, names []string) error {
	c.shards = c.set().Shards
	var err error
	if c.data, err = openMesh(c.group, names); err != nil {
		return err
	}
	if c.bus, err = openMesh(c.group, names); err != nil {
		return err
	}
	for _, name := range names {
		m, err := c.launch(ctx, c.options(name), c.h.plan.Redis.Persistence)
		if err != nil {
			return err
		}
		if err := errors.Join(c.data.join(name, m.addr), c.bus.join(name, redisServer(m).Bus)); err != nil {
			return err
		}
	}
	if err := servers.FormCluster(ctx, processes(c.members), c.shards); err != nil {
		return err
	}
	if c.ofLock, err = servers.ShardOf(ctx, redisServer(c.members[0]), locks.Key, c.shards); err != nil {
		return err
	}
	c.leaders = append(c.leaders, c.members[:c.shards]...)
	c.leader = c.leaders[c.ofLock]
	c.lag = c.h.plan.Redis.Lag // only now: the first sync need not be slow
	c.listen()
	return nil
}

// options says how a node is started.
func (c *redisCluster) options(name string) servers.RedisOptions {
	o := c.anyRedis.options(c.data.of(name))
	o.Cluster = &servers.ClusterOptions{
		Host: name, AnnounceBus: c.bus.of(name).front.Addr(), NodeTimeout: c.set().NodeTimeout,
	}
	return o
}

// brief implements store.
func (c *redisCluster) brief(start *proto.Start) {
	for _, m := range c.members {
		start.Nodes = append(start.Nodes, m.name)
	}
	start.First = c.indexOf(c.leader)
}

// between implements store.
func (c *redisCluster) between() []way { return append(c.data.ways(), c.bus.ways()...) }

// replicas implements store.
func (c *redisCluster) replicas() int { return len(c.members)/c.shards - 1 }

// shardOf is the shard that a node belongs to.
func (c *redisCluster) shardOf(m *member) int { return c.indexOf(m) % c.shards }

// slower implements store. What is on its way already keeps its order.
func (c *redisCluster) slower(by time.Duration) {
	c.lag = c.h.plan.Redis.Lag + by
	c.reachabilityChanged()
}

// reachabilityChanged implements store.
func (c *redisCluster) reachabilityChanged() {
	c.disturbed = c.disturbed || len(c.blocks) > 0
	c.data.apply(c.lag)
	c.bus.apply(0)
}

// died implements store. What the replicas have not received by then is lost with
// their primary.
func (c *redisCluster) died(m *member) {
	c.disturbed = true
	c.data.died(m.name)
	c.bus.died(m.name)
}

// restart implements store: a node finds its place by itself.
func (c *redisCluster) restart(ctx context.Context, m *member) (empty bool, err error) {
	c.h.mu.Lock()
	c.data.returns(m.name)
	c.bus.returns(m.name)
	c.reachabilityChanged()
	leads := c.leaders[c.shardOf(m)] == m
	c.h.mu.Unlock()
	if err = c.again(ctx, m, ""); err == nil {
		c.data.serves(m.name)
		c.bus.serves(m.name)
	}
	return leads && c.fsync(c.h.plan.Redis.Persistence) == "", err
}

// evict implements store: clients write to the primary of the lock's shard.
func (c *redisCluster) evict(one *member) error {
	if !c.leader.up() || one != nil && one != c.leader {
		return nil
	}
	return c.remove(c.leader)
}

// derive implements store.
func (c *redisCluster) derive(entries []entry) []entry {
	if told, ok := c.account(entries, c.members[c.ofLock].node, c.h.plan.Redis.Persistence); ok {
		return told
	}
	return deriveGrants(entries, redisTraits, c.h.lease(), c.outside())
}

// close implements store.
func (c *redisCluster) close() error {
	var errs []error
	for _, m := range []*mesh{c.data, c.bus} {
		if m != nil {
			errs = append(errs, m.close())
		}
	}
	return errors.Join(errs...)
}

// A node does not tell when it becomes a primary or a replica, so it is asked.
const (
	askEvery = 10 * time.Millisecond
	askTime  = 200 * time.Millisecond // a frozen node does not answer
)

// listen follows what the nodes are, past all links.
func (c *redisCluster) listen() {
	for i, m := range c.members {
		client := goredis.NewClient(&goredis.Options{
			Addr: m.addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1,
			DialTimeout: askTime, ReadTimeout: askTime, WriteTimeout: askTime,
		})
		c.h.background.Go(func() {
			defer client.Close()
			primary := i < c.shards
			for {
				select {
				case <-c.h.stop:
					return
				case <-time.After(askEvery):
				}
				if !c.runs(m) {
					continue
				}
				role, err := client.Do(context.Background(), "ROLE").Slice()
				if err != nil || len(role) == 0 || primary == (role[0] == "master") {
					continue
				}
				primary = !primary
				c.became(m, primary)
			}
		})
	}
}

// runs reports whether a node can be asked anything.
func (c *redisCluster) runs(m *member) bool {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	c.disturbed = c.disturbed || !m.up()
	return m.up()
}

// became takes note of a node that has become a primary or a replica.
func (c *redisCluster) became(m *member, primary bool) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	if c.h.stopped {
		return
	}
	shard := c.shardOf(m)
	if !primary {
		c.h.record(history.Event{Kind: history.Demoted, Node: m.node, Peer: c.leaders[shard].node}, "")
		return
	}
	old := c.leaders[shard]
	if !c.disturbed && !c.h.clocks.anyWrong() {
		c.h.fail(fmt.Errorf("%s took the place of %s, to which nothing had happened: the machine is too busy for a node timeout of %v: play it again, choose a greater --scale, or set a longer cluster.node-timeout",
			m.name, old.name, c.set().NodeTimeout))
	}
	c.leaders[shard] = m
	if shard == c.ofLock {
		c.leader = m
	}
	c.h.record(history.Event{Kind: history.Promoted, Node: m.node, Peer: old.node}, "")
}
