package sim

import (
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/store"
	"lockstep/internal/store/redis"
)

// deps returns the ports of a client's lock.
func (w *World) deps(c *client, load plan.Workload) locks.Deps {
	d := locks.Deps{
		Env: c, Name: c.key, Owner: c.name, Lease: w.plan.Lease, Retry: load.Retry, Wait: load.Wait, Once: load.TriesOnce(), Renew: load.Renew,
		Timeout: w.plan.Network.Timeout,
		Port:    c, Settings: w.settings,
	}
	switch b := w.backend.(type) {
	case *redisCluster:
		s := plan.StoreOf(&w.variant)
		nodes := c.portsTo(len(b.nodes), func(i int) route { return &b.nodes[i].host })
		d.Redis = redis.NewSharded(nodes, w.plan.Servers(s), b.ofTheLock.leader.member.number, c.key)
		d.Replicas = w.plan.ClusterOf(s).Replicas
	case *redisGroup:
		d.Redis, d.Replicas = c.portTo(b), len(w.plan.Servers(plan.StoreOf(&w.variant)))-1
	case *redisNodes:
		d.Nodes = c.portsTo(len(b.groups), func(i int) route { return b.groups[i] })
	}
	return d
}

func (c *client) portTo(r route) *redisPort {
	c.ports = append(c.ports, redisPort{client: c, to: r})
	return &c.ports[len(c.ports)-1]
}

func (c *client) portsTo(count int, to func(i int) route) []redis.Port {
	c.ports = slices.Grow(c.ports, count) // must not move later: the ports point into it
	all := make([]redis.Port, count)
	for i := range all {
		all[i] = c.portTo(to(i))
	}
	return all
}

// startServers makes the servers of the run's store. A store without a model is Redis.
func (w *World) startServers() error {
	p, s := w.plan, plan.StoreOf(&w.variant)
	names := p.Servers(s)
	w.oneLane, w.settings = s.OneLane, p.SettingsOf(s.Store)
	switch {
	case s.Topology == store.Quorum:
		set := w.setupOf(s.Store)
		c := w.newCluster(names, *p.Cluster(s.ID), s.Store, s.New(set))
		if s.Silence != nil {
			c.silence = s.Silence(set)
		}
		w.backend, w.route = c, c
	case s.New != nil:
		db := w.newDatabase(names, *p.Database(s.ID), func() store.Follower { return s.New(w.setupOf(s.Store)).(store.Follower) })
		w.backend, w.route = db, db
	case s.Topology == store.Independent:
		n := w.newRedisNodes(names, p.Redlock.Persistence)
		w.backend, w.route = n, n.groups[0]
	case p.InShards(s):
		if err := w.variant.CheckCluster(); err != nil {
			return err
		}
		set := p.Redis
		set.Cluster = p.ClusterOf(s)
		c := w.newRedisCluster(names, set)
		w.backend, w.route = c, c
	default:
		g := w.newRedisGroup(names, p.Redis)
		w.backend, w.route = g, g
		if watchers := p.SentinelNames(s); len(watchers) > 0 {
			g.watch = w.newSentinels(g, watchers)
		}
	}
	return nil
}

// setupOf returns the settings of the run's store.
func (w *World) setupOf(s *store.Store) store.Setup {
	out := store.Setup{Lock: w.entry, Settings: w.settings, EpochMS: epochMS}
	if s.Topology == store.Quorum {
		out.Election = w.plan.Cluster(s.ID).Election
		return out
	}
	out.Idle, out.Prepare = w.plan.Database(s.ID).IdleTimeout, w.Setup
	if w.pacer == nil {
		out.Prepare = s.Prepared(w.plan.Resources()...)
	}
	return out
}
