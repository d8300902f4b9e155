package scenario

import (
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// maxShards bounds a Redis Cluster, whose nodes all talk to each other.
const maxShards = 7

// shards reads what a Redis Cluster is made of, and reports what does not go with one.
func (r *reader) shards(at entry, beside group, p *plan.Plan) {
	const example = "cluster: {shards: 3, replicas: 1, node-timeout: 5s}"
	w := &p.Redis.Cluster
	g := r.group(at.value, "cluster", example, "shards", "replicas", "node-timeout")
	*w = plan.DefaultRedisCluster()
	r.countAt(g, "shards", &w.Shards, "shards: 3", plan.LeastShards, maxShards)
	r.countAt(g, "replicas", &w.Replicas, "replicas: 1", 0, maxReplicas)
	r.durationAt(g, "node-timeout", &w.NodeTimeout, "node-timeout: 5s", time.Millisecond)
	if e, ok := beside["replicas"]; ok {
		r.problemf(e.key, "in a cluster each shard has replicas of its own: write cluster: {replicas: %s}", e.value.text)
	}
	if e, ok := beside["failover"]; ok {
		r.problemf(e.key, "a cluster promotes replicas by itself, without operator or sentinels: remove this, and set cluster: {node-timeout: 5s} if it should notice sooner or later")
	}
	for _, id := range p.Locks {
		v, known := locks.Lookup(id)
		if err := v.CheckCluster(); known && v.Store == locks.StoreRedis && err != nil {
			r.problemf(at.key, "%v", err)
		}
	}
}

// notInCluster reports a verb by which an operator or sentinels promote a replica: in
// a Redis Cluster nobody but its primaries does.
func (r *reader) notInCluster(s parts, p *plan.Plan) {
	if p.Redis.Cluster.Shards > 0 && s.spec.Replica && s.spec.Ends == faults.EndNone && uses(p, locks.StoreRedis) {
		r.problemf(s.verb.key, "%s does not go with a Redis Cluster, which promotes replicas by itself: let the primary die (crash: the primary), and wait for cluster.node-timeout and an election", s.spec.Name)
	}
}

// shards prints what a Redis Cluster is made of.
func (w *writer) shards(c plan.RedisCluster, lag time.Duration) {
	w.line(2, "cluster: {shards: %d, replicas: %d, node-timeout: %s}", c.Shards, c.Replicas, Duration(c.NodeTimeout))
	w.line(2, "lag: %s", Duration(lag))
}
