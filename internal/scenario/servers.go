package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

// servers reads the servers of the stores, and finds out who promotes a replica when only a fault
// says it. Settings derived from the lease stay open, as the lease may still change.
func (r *reader) servers(top group, p *plan.Plan) {
	p.Redis.Failover.By = promoterOf(top)
	r.sections(top["servers"].value, p)
}

func (r *reader) sections(n *node, p *plan.Plan) {
	const example = "redis: {replicas: 1, lag: 500ms} below it"
	known := each.Map(plan.ServerKeys, func(s plan.Section) string { return s.Name })
	g := r.group(n, "servers", example, known...)
	for _, s := range plan.ServerKeys {
		e, ok := g[s.Name]
		switch {
		case !ok:
		case !r.locksUnclear && !uses(p, s.Store):
			r.problemf(e.key, "no lock of this scenario keeps its entries in %s: remove this, or add such a lock", s.Name)
		default:
			r.section(e.value, s, p)
		}
	}
}

// section reads a group of keys.
func (r *reader) section(n *node, s plan.Section, p *plan.Plan) {
	g := r.group(n, s.Name, s.Example, plan.Names(s.Keys)...)
	r.shards(g, p)
	r.keys(g, s.Keys, p)
}

func (r *reader) keys(g group, keys []plan.Key, p *plan.Plan) {
	for i := range keys {
		if e, ok := g[keys[i].Name]; ok && !r.key(e, &keys[i], keys, p) {
			return
		}
	}
}

// key reads one key of a group into the plan. It returns false when the keys that follow cannot be
// checked.
func (r *reader) key(e entry, k *plan.Key, group []plan.Key, p *plan.Plan) (known bool) {
	n, example := e.value, k.Name+": "+k.Example
	if k.Keys != nil {
		r.keys(r.group(n, k.Name, example, plan.Names(k.Keys)...), k.Keys, p)
		return true
	}
	if by := group[0].Text; k.By != "" && by(p) != k.By {
		r.problemf(e.key, "%s is about a failover by the %s, and here the %s does it: use %s, or write by: %s", k.Name, k.By, by(p), timesOf(group, by(p)), k.By)
		return true
	}
	switch at := k.At(p).(type) {
	case *time.Duration:
		switch {
		case k.Form == plan.Patience:
			*at = r.patience(n)
		case k.Form == plan.OrNever && n.text == plan.Never:
			*at = 0
		default:
			*at, _ = r.duration(n, k.Name, example, time.Duration(k.Least))
		}
	case *plan.Range:
		*at = r.span(n, k.Name, example)
	case *int:
		if k.Form == plan.Times {
			*at = r.repeat(n)
		} else {
			*at, _ = r.count(n, k.Name, example, int(k.Least), int(k.Most))
		}
	case *int64:
		*at, _ = r.percent(n, k.Name, example)
	case *string:
		if k.Form == plan.Name {
			*at = r.resource(n, example)
			return true
		}
		word, ok := r.choice(n, k.Name, each.Map(k.Words, func(w plan.Word) string { return w.Word })...)
		*at = word
		return ok || k.Name != "by"
	}
	return true
}

// timesOf lists the timings of a failover by an operator or by sentinels.
func timesOf(keys []plan.Key, by string) string {
	others := func(k plan.Key) bool { return k.By != by }
	return strings.Join(plan.Names(slices.DeleteFunc(slices.Clone(keys), others)), " and ")
}

// uses reports whether a lock of the plan keeps its entries in a store.
func uses(p *plan.Plan, id store.ID) bool {
	return slices.ContainsFunc(p.Locks, func(lock string) bool { return storeOf(p, lock).ID == id })
}

// promoterOf finds out who promotes replicas when servers does not say it: the first fault that
// does decides. Mistakes are reported when the fault is read.
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

// needReplica reports a verb that needs a replica when a lock's store has none. A cluster always
// has servers that can take over, and the nodes of Redlock have no primary.
func (r *reader) needReplica(s parts, p *plan.Plan) {
	if r.locksUnclear {
		return
	}
	r.notInCluster(s, p)
	r.notWithSentinels(s, p)
	missing, have := []string{}, false
	for _, id := range p.Locks {
		switch of := storeOf(p, id); {
		case of.Topology != store.Replicated:
			have = have || s.spec.Promoter
		case len(p.Servers(of)) > 1:
			have = true
		case !slices.Contains(missing, of.Section):
			missing = append(missing, of.Section)
		}
	}
	switch {
	case len(missing) > 0:
		add := each.Map(missing, func(section string) string { return section + ": {replicas: 1}" })
		r.problemf(s.verb.key, "there is no replica to %s: add \"servers: {%s}\"", replicaFor(s.spec), strings.Join(add, ", "))
	case !have:
		r.problemf(s.verb.key, "there is no replica to %s: no lock of this scenario keeps its entries in a primary with replicas", replicaFor(s.spec))
	}
}

// shards makes the store a Redis Cluster if the file says so, and reports settings that contradict
// it.
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

// notInCluster reports a verb by which an operator or sentinels promote a replica: in a Redis
// Cluster only the primaries do.
func (r *reader) notInCluster(s parts, p *plan.Plan) {
	if p.Redis.Cluster.Shards > 0 && s.spec.Replica && !s.spec.Ends && slices.ContainsFunc(p.Locks, func(id string) bool { return storeOf(p, id).IsRedis() }) {
		r.problemf(s.verb.key, "%s does not go with a Redis Cluster, which promotes replicas by itself: let the primary die (crash: the primary), and wait for cluster.node-timeout and an election", s.spec.Name)
	}
}

// notWithSentinels reports that an operator promotes a replica although there are sentinels: they
// would demote it again, and clients follow them.
func (r *reader) notWithSentinels(s parts, p *plan.Plan) {
	if s.spec.Promoter || s.spec.Ends {
		return
	}
	if slices.ContainsFunc(p.Locks, func(id string) bool { return len(p.SentinelNames(storeOf(p, id))) > 0 }) {
		r.problemf(s.verb.key, "%s does not go with sentinels, who would undo it: remove failover: {by: sentinel}, or cut the primary off (partition) and let them promote", s.spec.Name)
	}
}

// replicaFor says what a verb needs the replica for.
func replicaFor(s faults.Spec) string {
	switch {
	case s.Promoter:
		return "fail over to"
	case s.Ends:
		return s.Name + " behind"
	}
	return s.Name
}

// servers prints the servers of the stores of the plan's locks.
func (w *writer) servers(p *plan.Plan) {
	w.line(0, "\nservers:")
	whole := *p
	whole.Settle()
	for _, s := range plan.ServerKeys {
		switch {
		case !uses(p, s.Store):
		case slices.ContainsFunc(s.Keys, func(k plan.Key) bool { return k.Keys != nil }):
			w.line(1, "%s:", s.Name)
			w.keys(2, s.Keys, &whole)
		default:
			w.line(1, "%s: {%s}", s.Name, inline(s.Keys, &whole))
		}
	}
}

// keys prints the keys of a group, one per line.
func (w *writer) keys(indent int, keys []plan.Key, p *plan.Plan) {
	for _, k := range keys {
		switch {
		case k.Idle != nil && k.Idle(p):
		case k.Keys != nil:
			w.line(indent, "%s: {%s}", k.Name, inline(k.Keys, p))
		default:
			w.line(indent, "%s: %s", k.Name, k.Text(p))
		}
	}
}

// inline prints the keys of a group on one line.
func inline(keys []plan.Key, p *plan.Plan) string {
	var parts []string
	for _, k := range keys {
		if k.By == "" || k.By == keys[0].Text(p) {
			parts = append(parts, k.Name+": "+k.Text(p))
		}
	}
	return strings.Join(parts, ", ")
}

// lastServer reports a fail-over that is certain to happen and leaves no server that could lead:
// the rest of the story would not be about a lock. A file that intends this expects the lock to be
// stuck.
func (r *reader) lastServer(g group, p *plan.Plan) {
	if r.stored || len(r.problems) > 0 || p.RestartsServers() ||
		slices.ContainsFunc(p.Vary, func(a plan.Axis) bool { return a.Key == "replicas" }) {
		return
	}
	var certain []int // numbers of faults
	for i := range p.Faults {
		if f := &p.Faults[i]; f.Spec().Promoter && f.Open == nil && !f.Repeats() {
			certain = append(certain, f.Number)
		}
	}
	for _, id := range p.Locks {
		s := storeOf(p, id)
		spare := p.Spare(s)
		if len(certain) <= spare || saidStuck(p, id) {
			continue
		}
		more := fmt.Sprintf("%s: {replicas: %d}", s.Section, len(certain))
		if s.Topology == store.Quorum {
			more = fmt.Sprintf("%s: {nodes: %d}", s.Section, 2*len(certain)+1)
		}
		r.problemf(g["faults"].value.items[certain[spare]-1],
			"after this fail-over %s has no server left that could lead: add \"servers: {%s}\", write \"restart: the primary\" with \"down: 10s\" instead, or say that no client gets the lock any more (\"expect: {%s: {progress: broken}}\")",
			id, more, id)
		return
	}
}

func saidStuck(p *plan.Plan, id string) bool {
	said, _ := p.ExpectationsFor(id)
	return slices.ContainsFunc(said, func(e plan.Expectation) bool {
		return e.Property == checker.ProgressID && e.Verdict == string(checker.Broken)
	})
}
