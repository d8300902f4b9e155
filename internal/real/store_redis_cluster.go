package real

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/proto"
	"lockstep/internal/real/servers"
)

// redisCluster is a Redis Cluster. Its nodes fail over without the harness, which asks for
// their roles past all links and records the changes.
type redisCluster struct {
	anyRedis
	data    *mesh     // for replication
	bus     *mesh     // for the cluster bus
	shards  int       // number of shards
	leaders []*member // the known primary of each shard
	ofLock  int       // the shard of the lock's key
	// disturbed: some node has been dead or partitioned.
	disturbed bool
}

// leastNodeTimeout is the shortest reliable node timeout: nodes check it ten times per
// second (clusterCron), and the harness shares the machine with them.
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

// set returns the settings of the cluster, by the plan or by the lock's design.
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
		m, err := c.launch(ctx, c.options(name))
		if err != nil {
			return err
		}
		if err := errors.Join(c.data.join(name, m.addr), c.bus.join(name, process(m).Bus)); err != nil {
			return err
		}
	}
	if err := servers.FormCluster(ctx, processes(c.members), c.shards); err != nil {
		return err
	}
	if c.ofLock, err = servers.ShardOf(ctx, process(c.members[0]), locks.Key, c.shards); err != nil {
		return err
	}
	c.leaders = append(c.leaders, c.members[:c.shards]...)
	c.first, c.leader = c.members[c.ofLock], c.leaders[c.ofLock]
	c.lag = c.h.plan.Redis.Lag // only now: the first sync need not be slow
	for _, m := range c.leaders {
		m.leads = true
	}
	c.followRoles(c.members, c.became)
	return nil
}

// options returns the options of a node.
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

// replicas implements store.
func (c *redisCluster) replicas() int { return len(c.members)/c.shards - 1 }

// shardOf returns the shard of a node.
func (c *redisCluster) shardOf(m *member) int { return c.indexOf(m) % c.shards }

// reachabilityChanged implements store.
func (c *redisCluster) reachabilityChanged() {
	c.disturbed = c.disturbed || len(c.blocks) > 0
	c.data.apply(c.lag + c.extraLag)
	c.bus.apply(0)
}

// died implements store.
func (c *redisCluster) died(m *member) {
	c.disturbed = true
	c.group.died(m)
}

// restart implements store: a node rejoins by its stored configuration.
func (c *redisCluster) restart(ctx context.Context, m *member) (empty bool, err error) {
	c.h.mu.Lock()
	leads := c.leaders[c.shardOf(m)] == m
	c.h.mu.Unlock()
	err = c.comesBack(m, func() error { return c.again(ctx, m, "") })
	return leads && c.forgets(), err
}

// evict implements store: clients write to the primary of the lock's shard.
func (c *redisCluster) evict(one *member) error {
	if one != nil && one != c.leader {
		return nil
	}
	return c.anyRedis.evict(c.leader)
}

// became records that a node has become a primary or a replica.
func (c *redisCluster) became(m *member, primary bool) {
	shard := c.shardOf(m)
	if !primary {
		c.h.record(history.Event{Kind: history.Demoted, Node: m.node, Peer: c.leaders[shard].node}, "")
		return
	}
	old := c.leaders[shard]
	frozen := slices.ContainsFunc(c.members, func(m *member) bool { return m.freezes > 0 })
	if !c.disturbed && !frozen && !c.h.clocks.anyWrong() {
		c.h.fail(fmt.Errorf("%s took the place of %s, to which nothing had happened: the machine is too busy for a node timeout of %v: play it again, choose a greater --scale, or set a longer cluster.node-timeout",
			m.name, old.name, c.set().NodeTimeout))
	}
	c.leaders[shard] = m
	if shard == c.ofLock {
		c.leader = m
	}
	c.h.record(history.Event{Kind: history.Promoted, Node: m.node, Peer: old.node}, "")
}
