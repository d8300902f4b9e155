package sim

import (
	"time"

	"lockstep/internal/plan"
	"lockstep/internal/rng"
)

// redisGroup is one primary and its replicas, as a Redis lock sees them.
type redisGroup struct {
	w           *World
	servers     []*redisServer
	leader      *redisServer // the primary that clients are told of
	lag         time.Duration
	failover    plan.RedisFailover
	persistence string
	minReplicas int
	maxLag      time.Duration // of a replica that min-replicas counts
	network     rng.Rand      // of the links between servers
	watch       *sentinels    // nil when an operator promotes
}

// newRedisGroup makes a group from servers with these names; its stores are
// reused from an earlier run.
func (w *World) newRedisGroup(names []string, set plan.Redis) *redisGroup {
	g := w.blankGroup()
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
	for _, s := range g.servers[1:] {
		s.attach(g.leader, 0)
		s.store.SetReplica(true)
	}
	if g.minReplicas > 0 {
		g.heartbeat()
	}
	return g
}

// blankGroup returns an unused group, see blankClient.
func (w *World) blankGroup() *redisGroup {
	if w.pacer != nil {
		return &redisGroup{}
	}
	return w.madeGroups.Next()
}

var _ backend = (*redisGroup)(nil)

// pick implements route. A client goes to the primary that it last heard of; with sentinels
// that is by the newest word of those that it reaches.
func (g *redisGroup) pick(c *client) *host {
	if len(g.servers) == 1 { // one of several nodes, perhaps: clients know only this one
		return &g.leader.host
	}
	if g.watch != nil {
		g.watch.tell(c)
	}
	return c.knows
}

// primary implements backend.
func (g *redisGroup) primary() *host { return &g.leader.host }

// operator implements backend: sentinels will notice by themselves.
func (g *redisGroup) operator() (time.Duration, bool) { return g.failover.After, g.watch == nil }

// promote implements backend: the first replica that runs takes over. The operator stands
// beside it and sends word to the others, whom it reaches if the new primary does: what is
// sent to those beyond a partition arrives after its heal.
func (g *redisGroup) promote() {
	old := g.leader
	for _, heir := range g.servers {
		if heir == old || !heir.store.IsReplica() || !heir.up() {
			continue
		}
		heir.promote()
		for _, r := range g.servers {
			if r != heir && r != old {
				r.order(heir.node, g.hop(), func() { r.follow(heir) })
			}
		}
		return
	}
}

// reachabilityChanged implements backend.
func (g *redisGroup) reachabilityChanged() { g.spread() }

// lead makes a server the primary that clients are told of.
func (g *redisGroup) lead(s *redisServer) {
	g.leader = s
	g.spread()
}

// spread tells the clients who the primary is, unless they go by sentinels or ask the nodes of a cluster.
func (g *redisGroup) spread() {
	if g.watch == nil && g.w.backend == g {
		g.w.spread(&g.leader.host)
	}
}

// late draws how much later the other one has what a primary sends.
func (g *redisGroup) late() time.Duration { return g.lag + g.w.extraLag.felt(g.w, 0) + g.hop() }

// hop draws how long a message between two servers travels.
func (g *redisGroup) hop() time.Duration { return g.w.network.draw(&g.network) }

// redisNodes are primaries that know nothing of each other.
type redisNodes struct {
	onTheirOwn
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

// primary implements backend.
func (n *redisNodes) primary() *host { return &n.groups[0].leader.host }
