package runpage

import (
	"cmp"
	"slices"

	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/store"
)

func setUp(b *bundle.Bundle, l say.Language) []pair {
	p := b.Plan
	if p == nil {
		return nil
	}
	var out []pair
	add := func(name say.Phrase, value say.Part) {
		out = append(out, pair{sanitize.Text(name.In(l), sanitize.MaxLine), sanitize.Text(value.In(l), sanitize.MaxLine)})
	}
	names := each.Map(p.Clients, func(n string) say.Part {
		return say.Verbatim(sanitize.Text(n, sanitize.MaxName))
	})
	w, n := p.Workload, p.Network
	add(say.Text("clients"), say.List(names))
	add(say.Text("lease"), say.Planned(p.Lease))
	byClient := func(name say.Phrase, value func(w *plan.Workload) say.Phrase) {
		addGrouped(l, name, names, func(i int) say.Part { own := p.WorkloadOf(p.Clients[i]); return value(&own) }, add)
	}
	if len(p.Resources()) > 1 {
		byClient(say.Text("resource"), func(w *plan.Workload) say.Phrase { return say.Verbatim(cmp.Or(w.Resource, locks.Key)).Phrase() })
	}
	byClient(say.Text("rounds"), func(w *plan.Workload) say.Phrase {
		return say.RoundsEach.With(say.Number(w.Repeat), say.Planned(w.Wait))
	})
	byClient(say.Text("work inside"), func(w *plan.Workload) say.Phrase { return say.Between(w.Work.Min, w.Work.Max) })
	byClient(say.Text("rest between rounds"), func(w *plan.Workload) say.Phrase { return say.Between(w.Rest.Min, w.Rest.Max) })
	add(say.Text("network"), say.NetworkIs.With(say.Between(n.Latency.Min, n.Latency.Max), say.Planned(n.Timeout), say.Optional(n.LossPPM)))
	add(say.Text("fence"), say.Text(string(w.Fence)))
	var designs say.List
	for i := range b.Runs {
		designs = append(designs, say.Verbatim(sanitize.Text(b.Runs[i].Lock, sanitize.MaxName)))
	}
	addGrouped(l, say.Text("servers"), designs, func(i int) say.Part { return servers(p, &b.Runs[i]) }, add)
	for _, c := range p.Clocks {
		add(say.ClockOf.With(say.Verbatim(sanitize.Text(c.Node, sanitize.MaxName))), say.ClockIs.With(say.Planned(c.Offset), say.Number(c.DriftPPM)))
	}
	for i := range p.Faults[:min(len(p.Faults), maxSetUpFaults)] { // with the numbers of the story
		f := &p.Faults[i]
		add(say.FaultNumber.With(say.Number(f.Number)), f.Sentence())
	}
	if more := len(p.Faults) - maxSetUpFaults; more > 0 {
		add(say.Text("faults"), say.More.With(say.Number(more)))
	}
	return out
}

// maxSetUpFaults limits the faults in the set-up; the fault log has all.
const maxSetUpFaults = 12

// addGrouped adds a line for each value that some of all have, with those that have it.
func addGrouped(l say.Language, name say.Phrase, all say.List, value func(i int) say.Part, add func(name say.Phrase, value say.Part)) {
	i := -1 // of the user that Groups asks for
	same := each.Groups(all, func(say.Part) string {
		i++
		return value(i).In(l)
	})
	for _, g := range same {
		of := name
		if len(same) > 1 {
			of = say.OfSome.With(name, say.List(g.All))
		}
		add(of, say.Verbatim(g.Key))
	}
}

// servers describes the servers of the lock of a run. The demands of the design override the plan.
func servers(p *plan.Plan, r *bundle.Run) say.Part {
	v, ok := p.Lock(r.Lock)
	if !ok {
		return listed(r.Judgement.History)
	}
	switch s := plan.StoreOf(&v); {
	case s.Topology == store.Independent:
		return append(say.Remarks{say.RedisNodes.With(say.Number(len(p.Servers(s))))}, keeps(p.Redlock.Persistence, v.Servers.FsyncAlways)...)
	case s.Topology == store.Quorum:
		return cluster(s.Store, p)
	case s.IsRedis():
		return redis(p.Redis, &v.Servers)
	default:
		return database(say.Verbatim(s.Title), *p.Database(s.ID), v.Servers.Replicas)
	}
}

// listed names the servers of an unknown lock.
func listed(h *history.History) say.Part {
	var names say.List
	if h != nil {
		for _, id := range h.NodesOf(history.RoleStore) {
			names = append(names, say.Verbatim(sanitize.Text(h.Name(id), sanitize.MaxName)))
		}
	}
	if len(names) == 0 {
		return say.Text("the history names none")
	}
	return names
}

func redis(r plan.Redis, demanded *locks.Servers) say.Remarks {
	replicas, lag := max(r.Replicas, demanded.Replicas), say.Planned(r.Lag)
	out := say.Remarks{say.OneServer.With("Redis")}
	if c := r.Cluster; c.Shards > 0 {
		out = say.Remarks{
			say.ShardsOf.With(say.Number(c.Shards), say.Number(c.Replicas), lag), say.NodesAreDown.With(say.Planned(c.NodeTimeout)),
		}
	} else if replicas > 0 {
		f := r.Failover
		failover := say.FailoverTakes.With(say.Planned(f.After))
		if f.By == plan.BySentinel {
			failover = say.SentinelsPromote.With(say.Number(plan.Sentinels), say.Planned(f.DownAfter), say.Planned(f.Election))
		}
		out = say.Remarks{say.PrimaryAnd.With("Redis", say.Number(replicas), lag), failover}
	}
	if n := max(r.MinReplicas, demanded.MinReplicas); n > 0 {
		out = append(out, say.WritesNeed.With(say.Number(n)))
	}
	return append(out, keeps(r.Persistence, demanded.FsyncAlways)...)
}

// keeps says what a restarted server still has, unless it is nothing.
func keeps(persistence string, always bool) []say.Phrase {
	switch {
	case always || persistence == plan.PersistAlways:
		return []say.Phrase{say.Text("every write is on disk before its reply")}
	case persistence == plan.PersistEverySecond:
		return []say.Phrase{say.Text("every write is in a file before its reply, on disk once per second")}
	}
	return nil
}

// cluster describes the servers of a quorum, with the settings that depend on the lease.
func cluster(s *store.Store, p *plan.Plan) say.Phrase {
	var settings say.List
	for i, value := range p.SettingsOf(s) {
		if i < len(s.Settings) && s.Settings[i].Of != nil {
			settings = append(settings, say.SettingIs.With(say.Verbatim(s.Settings[i].Name), say.Planned(value)))
		}
	}
	c := p.Cluster(s.ID)
	return say.ClusterOf.With(say.Verbatim(s.Title), say.Number(c.Nodes), say.Planned(c.Election), settings)
}

func database(name say.Verbatim, s plan.SQL, demanded int) say.Remarks {
	replicas := max(s.Replicas, demanded)
	if replicas == 0 {
		return say.Remarks{say.OneServer.With(name)}
	}
	return say.Remarks{say.PrimaryAnd.With(name, say.Number(replicas), say.Planned(s.Lag)), say.FailoverTakes.With(say.Planned(s.Failover.After))}
}

// promise is an excerpt of the documentation of a lock.
type promise struct{ Lock, Store, Guarantees string }

func promisesOf(b *bundle.Bundle, l say.Language) []promise {
	var out []promise
	for i := range b.Runs {
		v, ok := locks.Lookup(b.Runs[i].Lock)
		if ok && !slices.ContainsFunc(out, func(p promise) bool { return p.Lock == v.ID }) {
			out = append(out, promise{v.ID, string(v.Store), sanitize.Text(v.Doc(l).Guarantees, sanitize.MaxProse)})
		}
	}
	return out
}
