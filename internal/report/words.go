package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// setUp lists what was played, in words.
func setUp(b *Bundle, l say.Language) []pair {
	p := b.Plan
	if p == nil {
		return nil
	}
	names := make([]string, len(p.Clients))
	for i, n := range p.Clients {
		names[i] = clean(n, maxName)
	}
	w := p.Workload
	out := []pair{
		{"clients", strings.Join(names, ", ")},
		{"lease", said(p.Lease)},
		{"rounds", fmt.Sprintf("%d per client, waiting up to %s for the lock", w.Repeat, said(w.Wait))},
		{"work inside", between(w.Work)},
		{"rest between rounds", between(w.Rest)},
		{"network", fmt.Sprintf("%s each way, response timeout %s%s", between(p.Network.Latency), said(p.Network.Timeout), loss(p.Network.LossPPM))},
		{"fence", string(w.Fence)},
	}
	out = append(out, serversOf(b)...)
	for _, c := range p.Clocks {
		out = append(out, pair{
			"clock of " + clean(c.Node, maxName),
			fmt.Sprintf("off by %s, drifts by %d ppm", said(c.Offset), c.DriftPPM),
		})
	}
	out = append(out, faultsOf(p, l)...)
	for i := range out {
		out[i].Value = clean(out[i].Value, maxLine)
	}
	return out
}

// maxSetUpFaults is how many faults the set-up lists; the fault log has all.
const maxSetUpFaults = 12

// faultsOf lists the planned faults by the numbers that the story calls them by.
func faultsOf(p *plan.Plan, l say.Language) []pair {
	var out []pair
	for i := range p.Faults[:min(len(p.Faults), maxSetUpFaults)] {
		f := &p.Faults[i]
		out = append(out, pair{fmt.Sprintf("fault %d", f.Number), say.Both{English: f.Text, Chinese: f.TextChinese}.In(l)})
	}
	if more := len(p.Faults) - len(out); more > 0 {
		out = append(out, pair{"faults", fmt.Sprintf("%d more", more)})
	}
	return out
}

func between(r plan.Range) string {
	if r.Max <= r.Min {
		return said(r.Min)
	}
	return said(r.Min) + " to " + said(r.Max)
}

// said is a duration of a plan in English.
func said(d time.Duration) string { return say.Planned(d).In(say.English) }

func loss(ppm int64) string {
	if ppm == 0 {
		return ""
	}
	return fmt.Sprintf(", %d of a million commands lose one half", ppm)
}

// serversOf says what the stores of the bundle's locks are made of: one line for
// all locks with the same servers.
func serversOf(b *Bundle) []pair {
	var texts []string
	users := map[string][]string{}
	for i := range b.Runs {
		text := servers(b.Plan, &b.Runs[i])
		if users[text] == nil {
			texts = append(texts, text)
		}
		users[text] = append(users[text], clean(b.Runs[i].Lock, maxName))
	}
	var out []pair
	for _, text := range texts {
		name := "servers"
		if len(texts) > 1 {
			name += " of " + strings.Join(users[text], ", ")
		}
		out = append(out, pair{clean(name, maxLine), text})
	}
	return out
}

// servers describes the servers of one run's lock. What a design demands of them
// comes before what the plan says.
func servers(p *plan.Plan, r *Run) string {
	v, ok := locks.Lookup(r.Lock)
	if !ok {
		return listed(r.Judgement.History)
	}
	switch v.Store {
	case locks.StoreRedisNodes:
		n := v.Servers.Nodes
		if n == 0 {
			n = p.Redlock.Nodes
		}
		return fmt.Sprintf("%d Redis primaries that know nothing of each other%s", n, keeps(p.Redlock.Persistence, v.Servers.FsyncAlways))
	case locks.StoreEtcd:
		return cluster("an etcd cluster", p.Etcd)
	case locks.StoreConsul:
		return cluster("a Consul cluster", p.Consul.Cluster)
	case locks.StoreZooKeeper:
		return cluster("a ZooKeeper ensemble", p.ZooKeeper.Cluster) + fmt.Sprintf(", tick %s", said(p.ZooKeeperTick()))
	case locks.StoreMySQL:
		return database("MySQL", p.MySQL, v.Servers.Replicas)
	case locks.StorePostgres:
		return database("PostgreSQL", p.Postgres, v.Servers.Replicas)
	}
	return redis(p.Redis, &v.Servers)
}

// listed names the servers of a lock that is not one of ours.
func listed(h *history.History) string {
	var names []string
	if h != nil {
		for _, n := range h.Header.Nodes {
			if n.Role == history.RoleStore {
				names = append(names, clean(n.Name, maxName))
			}
		}
	}
	if len(names) == 0 {
		return "the history names none"
	}
	return strings.Join(names, ", ")
}

func redis(r plan.Redis, demanded *locks.Servers) string {
	replicas := max(r.Replicas, demanded.Replicas)
	text := "one Redis server"
	if c := r.Cluster; c.Shards > 0 {
		text = fmt.Sprintf("a Redis Cluster of %d shards, each a primary and %s; nodes are down after %s of silence",
			c.Shards, behind(c.Replicas, r.Lag), said(c.NodeTimeout))
	} else if replicas > 0 {
		text = fmt.Sprintf("one Redis primary and %s", behind(replicas, r.Lag))
		if r.Failover.By == plan.BySentinel {
			text += fmt.Sprintf("; %d sentinels promote one after %s of silence and an election of %s",
				plan.Sentinels, said(r.Failover.DownAfter), said(r.Failover.Election))
		} else {
			text += fmt.Sprintf("; a failover takes %s", said(r.Failover.After))
		}
	}
	if n := max(r.MinReplicas, demanded.MinReplicas); n > 0 {
		text += fmt.Sprintf("; writes need %d replicas in contact", n)
	}
	return text + keeps(r.Persistence, demanded.FsyncAlways)
}

// keeps says what a restarted server still knows, where it is worth a word.
func keeps(persistence string, always bool) string {
	switch {
	case always || persistence == plan.PersistAlways:
		return "; every write is on disk before its reply"
	case persistence == plan.PersistEverySecond:
		return "; on disk once per second"
	}
	return ""
}

func behind(replicas int, lag time.Duration) string {
	return fmt.Sprintf("%s, %s behind", countOf(replicas, "replica", "replicas"), said(lag))
}

func cluster(what string, c plan.Cluster) string {
	return fmt.Sprintf("%s of %d, which elects a new leader in %s", what, c.Nodes, said(c.Election))
}

func database(name string, s plan.SQL, demanded int) string {
	replicas := max(s.Replicas, demanded)
	if replicas == 0 {
		return fmt.Sprintf("one %s server", name)
	}
	return fmt.Sprintf("one %s primary and %s; a failover takes %s", name, behind(replicas, s.Lag), said(s.Failover.After))
}

// promise is what a lock's documentation says of it.
type promise struct{ Lock, Store, Guarantees, BreaksWhen string }

// promisesOf lists the promises of the locks, for those that are ours.
func promisesOf(b *Bundle) []promise {
	var out []promise
	for i := range b.Runs {
		v, ok := locks.Lookup(b.Runs[i].Lock)
		if !ok || slices.ContainsFunc(out, func(p promise) bool { return p.Lock == v.ID }) {
			continue
		}
		d := v.Doc()
		out = append(out, promise{v.ID, string(v.Store), clean(d.Guarantees, maxProse), clean(d.BreaksWhen, maxProse)})
	}
	return out
}
