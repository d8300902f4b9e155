package sim

import (
	"fmt"
	"slices"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/sim/consul"
	"lockstep/internal/sim/etcd"
	"lockstep/internal/sim/sql"
	"lockstep/internal/sim/zookeeper"
	"lockstep/internal/world"
)

// deps gives a client's lock its ports.
func (w *World) deps(c *client, load plan.Workload) locks.Deps {
	d := locks.Deps{
		Env: c, Name: c.key, Owner: c.name, Lease: w.plan.Lease, Retry: load.Retry, Wait: load.Wait, Once: load.TriesOnce(), Renew: load.Renew,
		Timeout: w.plan.Network.Timeout,
	}
	switch w.variant.Store {
	case locks.StoreRedis:
		if shards, ok := w.backend.(*redisCluster); ok {
			d.Redis, d.Replicas = newShardedPort(c, shards), w.plan.ClusterOf(plan.StoreOf(&w.variant)).Replicas
			break
		}
		d.Redis = c.portTo(w.route)
		d.Replicas = len(w.plan.Servers(plan.StoreOf(&w.variant))) - 1
	case locks.StoreRedisNodes:
		groups := w.backend.(*redisNodes).groups
		c.ports, d.Nodes = slices.Grow(c.ports, len(groups)), make([]world.Redis, 0, len(groups))
		for _, g := range groups {
			d.Nodes = append(d.Nodes, c.portTo(g))
		}
	case locks.StoreEtcd:
		d.Etcd = etcdPort{c}
	case locks.StoreZooKeeper:
		d.ZooKeeper = &zkPort{c}
	case locks.StoreMySQL, locks.StorePostgres:
		d.SQL = sqlPort{c}
	case locks.StoreConsul:
		d.Consul, d.Second = consulPort{c}, w.plan.Consul.Second
	}
	return d
}

// portTo is a port of the client's lock.
func (c *client) portTo(r route) *redisPort {
	c.ports = append(c.ports, redisPort{client: c, to: r})
	return &c.ports[len(c.ports)-1]
}

// startServers makes the servers of the run's store.
func (w *World) startServers() error {
	p, s := w.plan, plan.StoreOf(&w.variant)
	w.oneLane = false
	names := p.Servers(s)
	switch w.variant.Store {
	case locks.StoreRedis:
		if p.InShards(s) {
			if err := w.variant.CheckCluster(); err != nil {
				return err
			}
			set := p.Redis
			set.Cluster = p.ClusterOf(s)
			c := w.newRedisCluster(names, set)
			w.backend, w.route = c, c
			break
		}
		g := w.newRedisGroup(names, p.Redis)
		w.backend, w.route = g, g
		if watchers := p.SentinelNames(s); len(watchers) > 0 {
			g.watch = w.newSentinels(g, watchers)
		}
	case locks.StoreRedisNodes:
		n := w.newRedisNodes(names, p.Redlock.Persistence)
		w.backend, w.route = n, n.groups[0]
	case locks.StoreEtcd:
		c := w.newCluster(names, p.Etcd, etcd.New(etcd.Config{LockKey: w.entry.Key, Election: p.Etcd.Election}))
		w.backend, w.route, w.oneLane = c, c, true // gRPC: a stream for each request, all on one connection
	case locks.StoreZooKeeper:
		tick := p.ZooKeeperTick()
		c := w.newCluster(names, p.ZooKeeper.Cluster, zookeeper.New(zookeeper.Config{Tick: tick, LockPath: "/" + w.key}))
		c.silence = plan.SyncLimit * tick
		w.backend, w.route = c, c
	case locks.StoreConsul:
		c := w.newCluster(names, p.Consul.Cluster, consul.New(consul.Config{Second: p.Consul.Second}))
		w.backend, w.route = c, c
	case locks.StoreMySQL:
		db := w.newDatabase(names, p.MySQL, w.newSQL(sql.MySQL, p.MySQL))
		w.backend, w.route = db, db
	case locks.StorePostgres:
		db := w.newDatabase(names, p.Postgres, w.newSQL(sql.PostgreSQL, p.Postgres))
		w.backend, w.route = db, db
	default:
		return fmt.Errorf("the simulator has no model of the store %q", w.variant.Store)
	}
	return nil
}
