package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// Limits on servers: more than anybody runs behind one lock.
const (
	maxReplicas = 10
	maxNodes    = 15
)

// section is what the file may say about one store.
type section struct {
	key, example string
	store        locks.Store
	keys         []string
	read         func(*reader, group, *plan.Plan)
}

var (
	replicatedKeys = []string{"replicas", "lag", "failover"}
	sqlKeys        = append([]string{"idle-timeout"}, replicatedKeys...)
)

var sections = []section{
	{"redis", "redis: {replicas: 1, lag: 500ms}", locks.StoreRedis,
		append([]string{"cluster", "persistence", "min-replicas", "min-replicas-max-lag"}, replicatedKeys...), (*reader).redis},
	{"redlock", "redlock: {nodes: 5}", locks.StoreRedisNodes, []string{"nodes", "persistence"}, (*reader).redlock},
	{"etcd", "etcd: {nodes: 3, election: 1s}", locks.StoreEtcd, []string{"nodes", "election"},
		func(r *reader, g group, p *plan.Plan) { r.cluster(g, &p.Etcd) }},
	{"zookeeper", "zookeeper: {nodes: 3, tick: 2s}", locks.StoreZooKeeper, []string{"nodes", "election", "tick"}, (*reader).zookeeper},
	{"consul", "consul: {nodes: 3, election: 1s}", locks.StoreConsul, []string{"nodes", "election", "second"}, (*reader).consul},
	{"mysql", "mysql: {replicas: 1, lag: 500ms}", locks.StoreMySQL, sqlKeys,
		func(r *reader, g group, p *plan.Plan) { r.sql(g, &p.MySQL) }},
	{"postgres", "postgres: {replicas: 1, lag: 500ms}", locks.StorePostgres, sqlKeys,
		func(r *reader, g group, p *plan.Plan) { r.sql(g, &p.Postgres) }},
}

// servers reads what the locks' stores are made of, and settles what the file
// leaves to other parts of it: who promotes a replica, and how long a tick is.
func (r *reader) servers(top group, p *plan.Plan) {
	p.Redis.Failover.By = promoterOf(top)
	if e, ok := top["servers"]; ok {
		r.sections(e.value, p)
	}
	p.ZooKeeper.Tick = p.ZooKeeperTick()
}

func (r *reader) sections(n *node, p *plan.Plan) {
	const example = "redis: {replicas: 1, lag: 500ms} below it"
	var known []string
	for _, s := range sections {
		known = append(known, s.key)
	}
	g := r.group(n, "servers", example, known...)
	for i := range sections {
		s := &sections[i]
		e, ok := g[s.key]
		if !ok {
			continue
		}
		if !r.locksUnclear && !uses(p, s.store) {
			r.problemf(e.key, "no lock of this scenario keeps its entries in %s: remove this, or add such a lock", s.key)
			continue
		}
		s.read(r, r.group(e.value, s.key, s.example, s.keys...), p)
	}
}

// uses reports whether a lock of the plan keeps its entries in a store.
func uses(p *plan.Plan, store locks.Store) bool {
	return slices.ContainsFunc(p.Locks, func(id string) bool {
		v, _ := locks.Lookup(id)
		return v.Store == store
	})
}

// promoterOf finds out who promotes replicas, when a fault says it and servers
// does not: the first fault that does. What does not make sense is reported when
// the fault is read.
func promoterOf(top group) string {
	e, ok := top["faults"]
	if !ok {
		return plan.ByOperator
	}
	for _, item := range e.value.items {
		for _, e := range item.entries {
			if spec, _ := faults.Lookup(e.key.text); spec.Promoter && slices.Contains(spec.Value.Choices, e.value.text) {
				return e.value.text
			}
		}
	}
	return plan.ByOperator
}

func (r *reader) redis(g group, p *plan.Plan) {
	w := &p.Redis
	r.replicated(g, &w.Replicas, &w.Lag, &w.Failover, plan.ByOperator, plan.BySentinel)
	if e, ok := g["cluster"]; ok {
		r.shards(e, g, p)
	}
	r.persistence(g, &w.Persistence)
	r.countAt(g, "min-replicas", &w.MinReplicas, "min-replicas: 1", 0, maxReplicas)
	r.durationAt(g, "min-replicas-max-lag", &w.MinReplicasMaxLag, "min-replicas-max-lag: 10s", time.Millisecond)
}

func (r *reader) redlock(g group, p *plan.Plan) {
	r.nodes(g, &p.Redlock.Nodes)
	r.persistence(g, &p.Redlock.Persistence)
}

func (r *reader) zookeeper(g group, p *plan.Plan) {
	r.cluster(g, &p.ZooKeeper.Cluster)
	r.durationAt(g, "tick", &p.ZooKeeper.Tick, "tick: 2s", time.Millisecond)
}

func (r *reader) consul(g group, p *plan.Plan) {
	r.cluster(g, &p.Consul.Cluster)
	r.durationAt(g, "second", &p.Consul.Second, "second: 1s", time.Millisecond)
}

func (r *reader) cluster(g group, w *plan.Cluster) {
	r.nodes(g, &w.Nodes)
	r.durationAt(g, "election", &w.Election, "election: 1s", 0)
}

func (r *reader) sql(g group, w *plan.SQL) {
	r.replicated(g, &w.Replicas, &w.Lag, &w.Failover, plan.ByOperator)
	e, ok := g["idle-timeout"]
	switch {
	case !ok:
	case e.value.text == never:
		w.IdleTimeout = 0
	default:
		w.IdleTimeout, _ = r.duration(e.value, "idle-timeout", "idle-timeout: 30s, or idle-timeout: never", time.Millisecond)
	}
}

// never is an idle-timeout that does not come.
const never = "never"

func (r *reader) nodes(g group, count *int) {
	r.countAt(g, "nodes", count, fmt.Sprintf("nodes: %d", *count), 1, maxNodes)
}

func (r *reader) persistence(g group, how *string) {
	if e, ok := g["persistence"]; ok {
		*how, _ = r.choice(e.value, "persistence", plan.PersistNone, plan.PersistEverySecond, plan.PersistAlways)
	}
}

// replicated reads what a primary with replicas has.
func (r *reader) replicated(g group, replicas *int, lag *time.Duration, f *plan.Failover, promoters ...string) {
	r.countAt(g, "replicas", replicas, "replicas: 1", 0, maxReplicas)
	r.durationAt(g, "lag", lag, "lag: 500ms", 0)
	if e, ok := g["failover"]; ok {
		r.failover(e.value, f, promoters)
	}
}

func (r *reader) failover(n *node, f *plan.Failover, promoters []string) {
	known := []string{"by", "after"}
	if slices.Contains(promoters, plan.BySentinel) {
		known = append(known, "down-after", "election")
	}
	g := r.group(n, "failover", "failover: {by: operator, after: 500ms}", known...)
	if e, ok := g["by"]; ok {
		if f.By, ok = r.choice(e.value, "by", promoters...); !ok {
			return
		}
	}
	times := []struct {
		key   string
		by    string // who takes that time
		other string
		to    *time.Duration
	}{
		{"after", plan.ByOperator, "down-after and election", &f.After},
		{"down-after", plan.BySentinel, "after", &f.DownAfter},
		{"election", plan.BySentinel, "after", &f.Election},
	}
	for _, t := range times {
		e, ok := g[t.key]
		switch {
		case !ok:
		case t.by != f.By:
			r.problemf(e.key, "%s is about a failover by the %s, and here the %s does it: use %s, or write by: %s", t.key, t.by, f.By, t.other, t.by)
		default:
			*t.to, _ = r.duration(e.value, t.key, t.key+": 500ms", 0)
		}
	}
}

// needReplica reports a verb that needs a replica when a lock's store has none.
// A cluster always has servers that can take over, and the nodes of Redlock have
// no primary in the first place.
func (r *reader) needReplica(s parts, p *plan.Plan) {
	if r.locksUnclear {
		return
	}
	r.notInCluster(s, p)
	missing, have := []string{}, false
	for _, id := range p.Locks {
		switch store := storeOf(id); store.Name {
		case string(locks.StoreRedis), string(locks.StoreMySQL), string(locks.StorePostgres):
			if len(p.Servers(store)) > 1 {
				have = true
			} else if !slices.Contains(missing, store.Name) {
				missing = append(missing, store.Name)
			}
		default:
			have = have || s.spec.Promoter
		}
	}
	switch {
	case len(missing) > 0:
		var each []string
		for _, store := range missing {
			each = append(each, store+": {replicas: 1}")
		}
		r.problemf(s.verb.key, "there is no replica to %s: add \"servers: {%s}\"", replicaFor(s.spec), strings.Join(each, ", "))
	case !have:
		r.problemf(s.verb.key, "there is no replica to %s: no lock of this scenario keeps its entries in a primary with replicas", replicaFor(s.spec))
	}
}

// replicaFor says what the replica is there for.
func replicaFor(s faults.Spec) string {
	switch {
	case s.Promoter:
		return "fail over to"
	case s.Ends == faults.EndRequired:
		return s.Name + " behind"
	}
	return s.Name
}

// servers prints what the stores of the plan's locks are made of.
func (w *writer) servers(p *plan.Plan) {
	w.line(0, "\nservers:")
	if uses(p, locks.StoreRedis) {
		w.line(1, "redis:")
		if p.Redis.Cluster.Shards > 0 {
			w.shards(p.Redis.Cluster, p.Redis.Lag)
		} else {
			w.replicated(p.Redis.Replicas, p.Redis.Lag, p.Redis.Failover)
		}
		w.line(2, "persistence: %s", p.Redis.Persistence)
		w.line(2, "min-replicas: %d", p.Redis.MinReplicas)
		w.line(2, "min-replicas-max-lag: %s", Duration(p.Redis.MinReplicasMaxLag))
	}
	if uses(p, locks.StoreRedisNodes) {
		w.line(1, "redlock: {nodes: %d, persistence: %s}", p.Redlock.Nodes, p.Redlock.Persistence)
	}
	if uses(p, locks.StoreEtcd) {
		w.line(1, "etcd: {%s}", clusterText(p.Etcd))
	}
	if uses(p, locks.StoreZooKeeper) {
		w.line(1, "zookeeper: {%s, tick: %s}", clusterText(p.ZooKeeper.Cluster), Duration(p.ZooKeeperTick()))
	}
	if uses(p, locks.StoreConsul) {
		w.line(1, "consul: {%s, second: %s}", clusterText(p.Consul.Cluster), Duration(p.Consul.Second))
	}
	if uses(p, locks.StoreMySQL) {
		w.line(1, "mysql:")
		w.sql(p.MySQL)
	}
	if uses(p, locks.StorePostgres) {
		w.line(1, "postgres:")
		w.sql(p.Postgres)
	}
}

func (w *writer) sql(db plan.SQL) {
	w.replicated(db.Replicas, db.Lag, db.Failover)
	idle := never
	if db.IdleTimeout > 0 {
		idle = Duration(db.IdleTimeout)
	}
	w.line(2, "idle-timeout: %s", idle)
}

func (w *writer) replicated(replicas int, lag time.Duration, f plan.Failover) {
	w.line(2, "replicas: %d", replicas)
	w.line(2, "lag: %s", Duration(lag))
	if f.By == plan.BySentinel {
		w.line(2, "failover: {by: %s, down-after: %s, election: %s}", f.By, Duration(f.DownAfter), Duration(f.Election))
		return
	}
	w.line(2, "failover: {by: %s, after: %s}", f.By, Duration(f.After))
}

func clusterText(c plan.Cluster) string {
	return fmt.Sprintf("nodes: %d, election: %s", c.Nodes, Duration(c.Election))
}
