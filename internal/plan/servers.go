package plan

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/store"
)

// Redis is the group of servers behind a Redis lock: one primary and its replicas.
type Redis struct {
	Replicas    int
	Lag         time.Duration // how late a replica applies what the primary executed
	Failover    RedisFailover
	Persistence string // what a restarted server still knows: PersistNone, PersistEverySecond or PersistAlways

	// A primary refuses writes while fewer than MinReplicas replicas have been
	// heard of within MinReplicasMaxLag; 0 replicas: it never refuses.
	MinReplicas       int
	MinReplicasMaxLag time.Duration

	Cluster RedisCluster // instead of Replicas and Failover, when it has shards
}

// RedisCluster is a Redis Cluster: primaries that share the keys among them, each
// with replicas of its own. Its nodes watch each other and promote by themselves.
type RedisCluster struct {
	Shards      int // 0: there is no cluster
	Replicas    int // of each shard
	NodeTimeout time.Duration
}

// DefaultRedisCluster is a cluster of which nothing is said but that it is one.
func DefaultRedisCluster() RedisCluster {
	return RedisCluster{Shards: LeastShards, Replicas: 1, NodeTimeout: DefaultNodeTimeout}
}

// Who promotes a replica.
const (
	ByOperator = "operator"
	BySentinel = "sentinel"
)

// Failover says how a replica takes over.
type Failover struct {
	By    string        // ByOperator or BySentinel
	After time.Duration // by the operator: from the primary's death to the promotion
}

// RedisFailover may be the work of sentinels.
type RedisFailover struct {
	Failover
	DownAfter time.Duration // by sentinels: how long the primary must be silent
	Election  time.Duration // by sentinels: from their agreement to the promotion
}

// How a Redis server keeps its data.
const (
	PersistNone        = "none"     // a restarted server is empty
	PersistEverySecond = "everysec" // an append-only file, written before each reply, on disk once per second: only a lost machine loses any of it
	PersistAlways      = "always"   // an append-only file, on disk before each reply
)

// Redlock is a set of primaries that know nothing of each other.
type Redlock struct {
	Nodes       int
	Persistence string
}

// Cluster is a set of servers that replicate by consensus and elect a leader.
type Cluster struct {
	Nodes    int
	Election time.Duration  // how long the cluster has no leader after losing one
	Settings store.Settings // 0 for one that the lease decides, see SettingsOf
}

// SQL is a database: one primary with asynchronous replicas or without. It is
// durable, so a restart forgets nothing but sessions.
type SQL struct {
	Replicas int
	Lag      time.Duration
	Failover Failover // by the operator
	// IdleTimeout is how long a session may say nothing between two statements before
	// its server ends it; 0: for ever.
	IdleTimeout time.Duration
}

// Defaults of the servers.
const (
	DefaultFailoverAfter     = 500 * time.Millisecond
	DefaultDownAfter         = 2 * time.Second
	DefaultElection          = time.Second
	DefaultMinReplicasMaxLag = 10 * time.Second // as Redis has it
	DefaultRedlockNodes      = 5
	DefaultClusterNodes      = 3
	DefaultNodeTimeout       = 5 * time.Second // Redis comes with 15 s, longer than most leases

	// LeastShards is how many shards a Redis Cluster has at least: with two, the death
	// of one primary leaves no majority that could elect a new one.
	LeastShards = 3

	// Sentinels is how many of them watch over the servers; two must agree.
	Sentinels = 3
)

var defaultFailover = Failover{By: ByOperator, After: DefaultFailoverAfter}

// place is where a plan has what it says of a store among those of its kind.
func place(id store.ID, of func(*store.Store) bool) int {
	i := 0
	for _, s := range store.All() {
		switch {
		case s.ID == id && of(s):
			return i
		case of(s):
			i++
		}
	}
	panic("plan: no such store: " + string(id))
}

func isCluster(s *store.Store) bool { return s.Topology == store.Quorum }

// Cluster is what the plan says of a store whose servers are a quorum.
func (p *Plan) Cluster(id store.ID) *Cluster { return &p.Clusters[place(id, isCluster)] }

// Database is what it says of a database.
func (p *Plan) Database(id store.ID) *SQL { return &p.Databases[place(id, (*store.Store).IsDatabase)] }

// SettingsOf are the settings of a store, also of a plan that leaves them open.
func (p *Plan) SettingsOf(s *store.Store) (out store.Settings) {
	if !isCluster(s) {
		return out
	}
	out = p.Cluster(s.ID).Settings
	for i, set := range s.Settings {
		if out[i] == 0 && set.Of != nil {
			out[i] = set.Of(p.Lease)
		}
	}
	return out
}

// Lags are how late the replicas of each store that has some apply what the primary has executed.
func (p *Plan) Lags() []*time.Duration {
	all := []*time.Duration{&p.Redis.Lag}
	for i := range p.Databases {
		all = append(all, &p.Databases[i].Lag)
	}
	return all
}

// SetLag sets all of them.
func (p *Plan) SetLag(to time.Duration) {
	for _, lag := range p.Lags() {
		*lag = to
	}
}

// SetReplicas says how many replicas each primary has, from how many it has now.
func (p *Plan) SetReplicas(to func(now int) int) {
	p.Redis.Replicas = to(p.Redis.Replicas)
	for i := range p.Databases {
		p.Databases[i].Replicas = to(p.Databases[i].Replicas)
	}
}

// LagOf is how late the replicas are of the store that a lock has its entries in.
func (p *Plan) LagOf(lock string) time.Duration {
	if v, ok := p.Lock(lock); ok && v.Kind().IsDatabase() {
		return p.Database(v.Store).Lag
	}
	return p.Redis.Lag
}

// Settle fills in the settings that a plan leaves open.
func (p *Plan) Settle() {
	for _, s := range store.With(store.Quorum) {
		p.Cluster(s.ID).Settings = p.SettingsOf(s)
	}
}

// Store is what a lock keeps its entries in. Nodes and Replicas are what the lock's
// design demands of its servers, 0 where it leaves that to the plan; so is Shards, for a
// design that is made for a Redis Cluster.
type Store struct {
	*store.Store
	Nodes, Replicas, Shards int
}

// StoreOf says what a lock keeps its entries in.
func StoreOf(v *locks.Variant) Store {
	return Store{store.Of(v.Store), v.Servers.Nodes, v.Servers.Replicas, v.Servers.Shards}
}

// Servers returns the names of a store's servers; the first one begins as the
// primary or leader. In a Redis Cluster of n shards, the first n begin as primaries,
// in the order of their slots, and the replicas of shard i are number i + n, i + 2n
// and so on, as `redis-cli --cluster create` has it.
func (p *Plan) Servers(s Store) []string { return s.Names(p.count(s)) }

func (p *Plan) count(s Store) int {
	switch {
	case s.Topology == store.Independent:
		return cmp.Or(s.Nodes, p.Redlock.Nodes)
	case s.Topology == store.Quorum:
		return p.Cluster(s.ID).Nodes
	case s.IsDatabase():
		return 1 + max(s.Replicas, p.Database(s.ID).Replicas)
	}
	if c := p.ClusterOf(s); p.InShards(s) {
		return c.Shards * (1 + max(s.Replicas, c.Replicas))
	}
	return 1 + max(s.Replicas, p.Redis.Replicas)
}

// InShards reports whether a store's servers are a Redis Cluster.
func (p *Plan) InShards(s Store) bool { return s.IsRedis() && p.ClusterOf(s).Shards > 0 }

// ClusterOf returns the Redis Cluster that the plan has. A design that demands one where the
// plan has none gets the least there is, whose nodes find each other down after half a
// lease: a time of the plan, which grows and shrinks with all others.
func (p *Plan) ClusterOf(s Store) RedisCluster {
	if s.Shards > 0 && p.Redis.Cluster.Shards == 0 {
		return RedisCluster{Shards: s.Shards, Replicas: 1, NodeTimeout: p.Lease / 2}
	}
	return p.Redis.Cluster
}

// Spare is how many of a store's servers can die for good, and there is still one that can lead. Where no
// server takes another one's place it is all of them.
func (p *Plan) Spare(s Store) int {
	servers := p.count(s)
	switch {
	case s.Topology == store.Independent || p.InShards(s):
		return servers
	case s.Topology == store.Quorum:
		return (servers - 1) / 2
	}
	return servers - 1
}

// RestartsServers reports whether a fault lets a server come back.
func (p *Plan) RestartsServers() bool {
	return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool {
		client := slices.Contains(p.Clients, f.Target) || f.Target == faults.TheHolder || f.Target == faults.NextHolder || f.Target == faults.ThatClient
		return f.Verb.Name() == "restart" && !client
	})
}

// SentinelNames returns the names of the processes that watch over a store's
// servers; none unless the plan has them and the store knows such a thing.
func (p *Plan) SentinelNames(s Store) []string {
	if !s.IsRedis() || p.InShards(s) || p.Redis.Failover.By != BySentinel {
		return nil
	}
	return sentinels
}

// SentinelTimes are those of sentinels that no scenario says. demoteAfter is how long they watch a server claim
// to be the primary that they know as a replica, before they make it one: four publish-periods, 8 s as Redis
// comes. timeout (failover-timeout) is how long they watch a replica follow another primary than theirs, and half
// of what they wait after an attempt to promote: 180 s as Redis comes, longer than any story.
func (p *Plan) SentinelTimes() (demoteAfter, timeout time.Duration) {
	ppm := cmp.Or(p.ScalePPM, 1_000_000)
	return scaled(1600*time.Millisecond, ppm), scaled(3*time.Second, ppm)
}

// sentinels are their names. They are made once, for each run asks for them several times.
var sentinels = []string{"sentinel-1", "sentinel-2", "sentinel-3"}
