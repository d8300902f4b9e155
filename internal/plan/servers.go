package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
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
	Election time.Duration // how long the cluster has no leader after losing one
}

// ZooKeeper is an ensemble.
type ZooKeeper struct {
	Cluster
	// Tick is the unit of the servers' time; sessions last 2 to 20 ticks and are
	// rounded up to whole ones. 0: TickFor the plan's lease.
	Tick time.Duration
}

// Consul is a cluster of Consul.
type Consul struct {
	Cluster
	// Second is what Consul's least session and the fixed times of its client library
	// count as a second: less than one where a whole story was made shorter.
	Second time.Duration
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
	DefaultTick              = 2 * time.Second // as ZooKeeper has it
	DefaultNodeTimeout       = 5 * time.Second // Redis comes with 15 s, longer than most leases
	DefaultMySQLIdleTimeout  = 8 * time.Hour   // wait_timeout as MySQL and MariaDB come; PostgreSQL comes with none

	// LeastShards is how many shards a Redis Cluster has at least: with two, the death
	// of one primary leaves no majority that could elect anybody.
	LeastShards = 3

	// Sentinels is how many of them watch over the servers; two must agree.
	Sentinels = 3
)

var defaultFailover = Failover{By: ByOperator, After: DefaultFailoverAfter}

// TickFor is the tick of an ensemble whose sessions are to last one lease: the
// one that ZooKeeper comes with, or a fifth of a lease that is shorter than five
// of these. Otherwise the least session of two ticks could outlast a short lease,
// and rounding to whole ticks would say more than the lease does.
func TickFor(lease time.Duration) time.Duration {
	return max(min(DefaultTick, (lease/5).Truncate(time.Millisecond)), time.Millisecond)
}

// SyncLimit is after how many ticks the servers of an ensemble give up on one that is silent: syncLimit in
// the configuration that ZooKeeper comes with. That one has died they know at once.
const SyncLimit = 5

// ZooKeeperTick returns the ensemble's tick, also of a plan that leaves it open.
func (p *Plan) ZooKeeperTick() time.Duration {
	if p.ZooKeeper.Tick > 0 {
		return p.ZooKeeper.Tick
	}
	return TickFor(p.Lease)
}

// Store names what a lock keeps its entries in; the names are those of package
// locks, which this one may not see. Nodes and Replicas are what the lock's
// design demands of its servers, 0 where it leaves that to the plan; so is Shards, for a
// design that is made for a Redis Cluster.
type Store struct {
	Name                    string // redis, redis-nodes, etcd, zookeeper, mysql, postgres, consul
	Nodes, Replicas, Shards int
}

// StoreOf says what a lock keeps its entries in.
func StoreOf(v *locks.Variant) Store {
	return Store{Name: string(v.Store), Nodes: v.Servers.Nodes, Replicas: v.Servers.Replicas, Shards: v.Servers.Shards}
}

// Servers returns the names of a store's servers; the first one begins as the
// primary or leader. In a Redis Cluster of n shards, the first n begin as primaries,
// in the order of their slots, and the replicas of shard i are number i + n, i + 2n
// and so on, as `redis-cli --cluster create` has it.
func (p *Plan) Servers(s Store) []string {
	switch s.Name {
	case "redis-nodes":
		return numbered("redis", demandedOr(s.Nodes, p.Redlock.Nodes))
	case "etcd":
		return numbered("etcd", p.Etcd.Nodes)
	case "zookeeper":
		return numbered("zk", p.ZooKeeper.Nodes)
	case "consul":
		return numbered("consul", p.Consul.Nodes)
	case "mysql":
		return numbered("mysql", 1+max(s.Replicas, p.MySQL.Replicas))
	case "postgres":
		return numbered("postgres", 1+max(s.Replicas, p.Postgres.Replicas))
	}
	if c := p.ClusterOf(s); p.InShards(s) {
		return numbered("redis", c.Shards*(1+max(s.Replicas, c.Replicas)))
	}
	return numbered("redis", 1+max(s.Replicas, p.Redis.Replicas))
}

// InShards reports whether a store's servers are a Redis Cluster.
func (p *Plan) InShards(s Store) bool { return s.Name == "redis" && p.ClusterOf(s).Shards > 0 }

// ClusterOf returns the Redis Cluster that the plan has. A design that demands one where the
// plan has none gets the least there is, whose nodes find each other down after half a
// lease: a time of the plan, which grows and shrinks with all others.
func (p *Plan) ClusterOf(s Store) RedisCluster {
	if s.Shards > 0 && p.Redis.Cluster.Shards == 0 {
		return RedisCluster{Shards: s.Shards, Replicas: 1, NodeTimeout: p.Lease / 2}
	}
	return p.Redis.Cluster
}

// InCluster reports whether a server of that name is a member of a cluster (etcd,
// ZooKeeper, Consul), whose members all have the same entries.
func InCluster(server string) bool {
	word, _, _ := strings.Cut(server, "-")
	return word == "etcd" || word == "zk" || word == "consul"
}

// Spare is how many of a store's servers can die for good, and there is still one that can lead. Where no
// server takes another one's place it is all of them.
func (p *Plan) Spare(s Store) int {
	servers := p.Servers(s)
	switch {
	case s.Name == "redis-nodes" || p.InShards(s):
		return len(servers)
	case InCluster(servers[0]):
		return (len(servers) - 1) / 2
	}
	return len(servers) - 1
}

// RestartsServers reports whether a fault lets a server come back.
func (p *Plan) RestartsServers() bool {
	return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool {
		client := slices.Contains(p.Clients, f.Target) || f.Target == faults.TheHolder || f.Target == faults.NextHolder || f.Target == faults.ThatClient
		return f.Verb.Name() == "restart" && !client
	})
}

// InRedis reports whether a server of that name is a Redis server, which makes no
// client wait on purpose.
func InRedis(server string) bool { return strings.HasPrefix(server, "redis-") }

// SentinelNames returns the names of the processes that watch over a store's
// servers; none unless the plan has them and the store knows such a thing.
func (p *Plan) SentinelNames(s Store) []string {
	if s.Name != "redis" || p.InShards(s) || p.Redis.Failover.By != BySentinel {
		return nil
	}
	return numbered("sentinel", Sentinels)
}

// SentinelTimes are those of sentinels that no scenario says. demoteAfter is how long they watch a server claim
// to be the primary that they know as a replica, before they make it one: four publish-periods, 8 s as Redis
// comes. timeout (failover-timeout) is how long they watch a replica follow another primary than theirs, and half
// of what they wait after an attempt to promote: 180 s as Redis comes, longer than any story.
func (p *Plan) SentinelTimes() (demoteAfter, timeout time.Duration) {
	ppm := cmp.Or(p.ScalePPM, 1_000_000)
	return scaled(1600*time.Millisecond, ppm), scaled(3*time.Second, ppm)
}

// demandedOr is what a design demands, or else what the plan says.
func demandedOr(demanded, planned int) int {
	if demanded > 0 {
		return demanded
	}
	return planned
}

// numbered are the names of the first so many of a kind. They are made once, for each run asks for
// them several times: who changes them changes them for all.
func numbered(word string, count int) []string {
	if known, ok := fewNumbered[word]; ok && count <= len(known) {
		return known[:count:count]
	}
	return namesOf(word, count)
}

var fewNumbered = func() map[string][]string {
	all := map[string][]string{}
	for _, word := range []string{"redis", "etcd", "zk", "consul", "mysql", "postgres", "sentinel"} {
		all[word] = namesOf(word, 12)
	}
	return all
}()

func namesOf(word string, count int) []string {
	names := make([]string, count)
	for i := range names {
		names[i] = word + "-" + strconv.Itoa(i+1)
	}
	return names
}
