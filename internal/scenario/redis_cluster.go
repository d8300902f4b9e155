package scenario

import (
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"slices"
)

// shards makes the store a Redis Cluster if the file says so, and reports what does not go with one.
func (r *reader) shards(g group, p *plan.Plan) {
	at, ok := g["cluster"]
	if !ok {
		return
	}
	p.Redis.Cluster = plan.DefaultRedisCluster()
	if e, ok := g["replicas"]; ok {
		r.problemf(e.key, "in a cluster each shard has replicas of its own: write cluster: {replicas: %s}", e.value.text)
	}
	if e, ok := g["failover"]; ok {
		r.problemf(e.key, "a cluster promotes replicas by itself, without operator or sentinels: remove this, and set cluster: {node-timeout: 5s} if it should notice sooner or later")
	}
	for _, id := range p.Locks {
		v, known := p.Lock(id)
		if err := v.CheckCluster(); known && storeOf(p, id).IsRedis() && err != nil {
			r.problemf(at.key, "%v", err)
		}
	}
}

// notInCluster reports a verb by which an operator or sentinels promote a replica: in
// a Redis Cluster only its primaries do.
func (r *reader) notInCluster(s parts, p *plan.Plan) {
	if p.Redis.Cluster.Shards > 0 && s.spec.Replica && s.spec.Ends == faults.EndNone && slices.ContainsFunc(p.Locks, func(id string) bool { return storeOf(p, id).IsRedis() }) {
		r.problemf(s.verb.key, "%s does not go with a Redis Cluster, which promotes replicas by itself: let the primary die (crash: the primary), and wait for cluster.node-timeout and an election", s.spec.Name)
	}
}
