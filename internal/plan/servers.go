package plan

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/store"
)

// Redis is the servers behind a Redis lock: one primary and its replicas.
type Redis struct {
	Replicas    int
	Lag         time.Duration // how late a replica applies what the primary executed
	Failover    RedisFailover
	Persistence string // what survives a restart: PersistNone, PersistEverySecond or PersistAlways

	// A primary refuses writes while it has heard from fewer than MinReplicas replicas within
	// MinReplicasMaxLag; 0 replicas: it never refuses.
	MinReplicas       int
	MinReplicasMaxLag time.Duration

	Cluster RedisCluster // instead of Replicas and Failover, when it has shards
}

// RedisCluster is a Redis Cluster: primaries that share the keys, each with replicas of its own.
// Its nodes watch each other and promote replicas by themselves.
type RedisCluster struct {
	Shards      int // 0: there is no cluster
	Replicas    int // of each shard
	NodeTimeout time.Duration
}

// DefaultRedisCluster is a cluster with default settings.
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

// RedisFailover is a Failover that sentinels may perform.
type RedisFailover struct {
	Failover
	DownAfter time.Duration // by sentinels: how long the primary must be silent
	Election  time.Duration // by sentinels: from their agreement to the promotion
}

// How a Redis server keeps its data.
const (
	PersistNone        = "none"     // a restarted server is empty
	PersistEverySecond = "everysec" // an append-only file, written before each reply, on disk once per second: only losing the machine loses data
	PersistAlways      = "always"   // an append-only file, on disk before each reply
)

// Redlock is a set of independent primaries.
type Redlock struct {
	Nodes       int
	Persistence string
}

// Cluster is a set of servers that replicate by consensus and elect a leader.
type Cluster struct {
	Nodes    int
	Election time.Duration  // how long the cluster has no leader after losing one
	Settings store.Settings // 0 for one derived from the lease, see SettingsOf
}

// SQL is a durable database, which loses only sessions in a restart: one primary, with or without
// asynchronous replicas.
type SQL struct {
	Replicas int
	Lag      time.Duration
	Failover Failover // by the operator
	// IdleTimeout is how long a session may be silent between two statements before its server ends
	// it; 0: for ever.
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

	// LeastShards is the minimum of a Redis Cluster: with two shards, the death of one primary
	// leaves no majority to elect a new one.
	LeastShards = 3

	// Sentinels is how many watch the servers; two must agree.
	Sentinels = 3
)

var defaultFailover = Failover{By: ByOperator, After: DefaultFailoverAfter}

// place is the index of a store among those of its kind.
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

// Cluster returns the settings of a store whose servers form a quorum.
func (p *Plan) Cluster(id store.ID) *Cluster { return &p.Clusters[place(id, isCluster)] }

// Database returns the settings of a database.
func (p *Plan) Database(id store.ID) *SQL { return &p.Databases[place(id, (*store.Store).IsDatabase)] }

// SettingsOf returns a store's settings, with those left open derived from the lease.
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

// Lags returns the replication lag of every store that has replicas.
func (p *Plan) Lags() []*time.Duration {
	all := []*time.Duration{&p.Redis.Lag}
	for i := range p.Databases {
		all = append(all, &p.Databases[i].Lag)
	}
	return all
}

// SetLag sets the replication lag of every store.
func (p *Plan) SetLag(to time.Duration) {
	for _, lag := range p.Lags() {
		*lag = to
	}
}

// SetReplicas changes the number of replicas of every primary.
func (p *Plan) SetReplicas(to func(now int) int) {
	p.Redis.Replicas = to(p.Redis.Replicas)
	for i := range p.Databases {
		p.Databases[i].Replicas = to(p.Databases[i].Replicas)
	}
}

// LagOf returns the replication lag of a lock's store.
func (p *Plan) LagOf(lock string) time.Duration {
	if v, ok := p.Lock(lock); ok && v.Kind().IsDatabase() {
		return p.Database(v.Store).Lag
	}
	return p.Redis.Lag
}

// Settle fills in the settings derived from the lease.
func (p *Plan) Settle() {
	for _, s := range store.With(store.Quorum) {
		p.Cluster(s.ID).Settings = p.SettingsOf(s)
	}
}

// Store is the store of a lock. Nodes, Replicas and Shards (of a Redis Cluster) are what the lock's
// design demands of its servers, 0 where any will do.
type Store struct {
	*store.Store
	Nodes, Replicas, Shards int
}

// StoreOf returns the store of a lock.
func StoreOf(v *locks.Variant) Store {
	return Store{store.Of(v.Store), v.Servers.Nodes, v.Servers.Replicas, v.Servers.Shards}
}

// Servers returns the names of a store's servers; the first one begins as the primary or leader. In
// a Redis Cluster of n shards, the first n begin as primaries, in the order of their slots, and the
// replicas of shard i are numbers i + n, i + 2n and so on, as `redis-cli --cluster create` assigns
// them.
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

// InShards reports whether a store is a Redis Cluster.
func (p *Plan) InShards(s Store) bool { return s.IsRedis() && p.ClusterOf(s).Shards > 0 }

// ClusterOf returns the plan's Redis Cluster. A design that demands one where the plan has none
// gets a minimal one, whose node timeout is half a lease: a duration that scales with the plan.
func (p *Plan) ClusterOf(s Store) RedisCluster {
	if s.Shards > 0 && p.Redis.Cluster.Shards == 0 {
		return RedisCluster{Shards: s.Shards, Replicas: 1, NodeTimeout: p.Lease / 2}
	}
	return p.Redis.Cluster
}

// Spare is how many of a store's servers can die for good while one that can lead remains. Where
// servers do not replace each other it is all of them.
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

// RestartsServers reports whether a fault restarts a server.
func (p *Plan) RestartsServers() bool {
	return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool {
		client := slices.Contains(p.Clients, f.Target) || f.Target == faults.TheHolder || f.Target == faults.NextHolder || f.Target == faults.ThatClient
		return f.Verb.Name() == "restart" && !client
	})
}

// SentinelNames returns the names of a store's sentinels; none without sentinels in the plan and
// the store.
func (p *Plan) SentinelNames(s Store) []string {
	if !s.IsRedis() || p.InShards(s) || p.Redis.Failover.By != BySentinel {
		return nil
	}
	return sentinels
}

// SentinelTimes are the timings of sentinels that no scenario sets. demoteAfter is how long they
// tolerate that a known replica claims to be the primary before they demote it: four
// publish-periods, 8 s by default in Redis. timeout (failover-timeout) is how long they let a
// replica follow another primary than theirs, and twice the wait after a failed promotion: 180 s by
// default in Redis, longer than any story.
func (p *Plan) SentinelTimes() (demoteAfter, timeout time.Duration) {
	ppm := cmp.Or(p.ScalePPM, 1_000_000)
	return scaled(1600*time.Millisecond, ppm), scaled(3*time.Second, ppm)
}

// sentinels are made once, as each run asks for them several times.
var sentinels = []string{"sentinel-1", "sentinel-2", "sentinel-3"}
