package sim

import (
	"time"

	"lockstep/internal/plan"
	"lockstep/internal/rng"
)

type redisGroup struct {
	w           *World
	servers     []*redisServer
	leader      *redisServer // the primary that clients are told
	lag         time.Duration
	failover    plan.RedisFailover
	persistence string
	minReplicas int
	maxLag      time.Duration // of replicas that count for minReplicas
	network     rng.Rand      // of the links between servers
	watch       *sentinels    // nil when an operator promotes
}

// newRedisGroup makes a group of servers with these names.
func (w *World) newRedisGroup(names []string, set plan.Redis) *redisGroup {
	g := w.arenas.groups.Next()
	*g = redisGroup{
		servers: g.servers[:0],
		w:       w, lag: set.Lag, failover: set.Failover, persistence: set.Persistence,
		minReplicas: set.MinReplicas, maxLag: set.MinReplicasMaxLag,
		network: rng.New(w.seed, rng.ID("network of servers")),
	}
	demands := &w.variant.Servers
	if demands.FsyncAlways {
		g.persistence = plan.PersistAlways
	}
	if demands.MinReplicas > 0 {
		g.minReplicas, g.maxLag = demands.MinReplicas, demands.MinReplicasMaxLag
	}
	for _, name := range names {
		g.servers = append(g.servers, w.newRedisServer(g, name))
	}
	g.leader = g.servers[0]
	for _, script := range w.Scripts {
		g.leader.store.Load(script)
	}
	for _, s := range g.servers[1:] {
		s.attach(g.leader, 0)
		s.store.SetReplica(true)
	}
	if g.minReplicas > 0 {
		g.heartbeat()
	}
	return g
}

var _ backend = (*redisGroup)(nil)

// pick implements route. With sentinels, the client first asks those that it reaches.
func (g *redisGroup) pick(c *client) *host {
	if len(g.servers) == 1 { // it may be one of several nodes
		return &g.leader.host
	}
	if g.watch != nil {
		g.watch.updatePrimary(c)
	}
	return c.knows
}

func (g *redisGroup) primary() *host { return &g.leader.host }

// operator implements backend: there is none besides sentinels.
func (g *redisGroup) operator() (time.Duration, bool) { return g.failover.After, g.watch == nil }

// promote implements backend: the first replica that runs takes over. The operator is on its side
// of any partition and tells the others to follow it; a partition delays that until its heal.
func (g *redisGroup) promote() {
	old := g.leader
	for _, successor := range g.servers {
		if successor == old || !successor.store.IsReplica() || !successor.up() {
			continue
		}
		successor.promote()
		for _, r := range g.servers {
			if r != successor && r != old {
				r.order(successor.node, g.hop(), func() { r.follow(successor) })
			}
		}
		return
	}
}

func (g *redisGroup) reachabilityChanged() { g.announcePrimary() }

func (g *redisGroup) lead(s *redisServer) {
	g.leader = s
	g.announcePrimary()
}

// announcePrimary tells the clients the primary, unless they ask sentinels or the nodes of a
// cluster.
func (g *redisGroup) announcePrimary() {
	if g.watch == nil && g.w.backend == g {
		g.w.announcePrimary(&g.leader.host)
	}
}

// late draws how long a piece of the replication stream travels.
func (g *redisGroup) late() time.Duration { return g.lag + g.w.extraLag.take(g.w, 0) + g.hop() }

func (g *redisGroup) hop() time.Duration { return g.w.network.draw(&g.network) }

type redisNodes struct {
	noOperator
	groups []*redisGroup
}

var _ backend = (*redisNodes)(nil)

func (w *World) newRedisNodes(names []string, persistence string) *redisNodes {
	n := &redisNodes{groups: make([]*redisGroup, len(names))}
	for i := range names {
		n.groups[i] = w.newRedisGroup(names[i:i+1], plan.Redis{Persistence: persistence})
	}
	return n
}

func (n *redisNodes) primary() *host { return &n.groups[0].leader.host }
