package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/scenario"
	"lockstep/internal/store"
)

// profile is one way in which a lock is used, without faults.
type profile struct {
	Name    string
	Summary string // its difference from the plain one
	// stands: only for locks that keep all properties in it without a fault.
	stands bool
	// unserved: only locks that no client gets in the plain profile are walked in it, and several
	// faults are combined here: elsewhere their runs are only retries.
	unserved bool
	// several: all schedules of several faults are walked in it; in the others some of them are
	// drawn.
	several bool
	// sparse: with several faults, repeated moments are no closer than in the plain profile.
	sparse bool
	fits   func(v *locks.Variant) bool // nil: every lock
	change func(t *terms)
}

// terms are what usage profiles differ in.
type terms struct {
	scenario.Sketch
	v        *locks.Variant
	clients  int
	rounds   int
	retry    string
	failover string // of Redis
	idle     string // of a database: when it ends a silent session
	nodes    int    // of Redlock
}

// shortWait is how long clients and the probe try for a lock that no client gets: a little longer
// than a lease.
const shortWait = 12 * time.Second

// plainProfile is the plainest profile.
const plainProfile = "plain"

// lease is that of all usage profiles.
const lease = 10 * time.Second

// longFault is the length of the longest faults for a lock, by which a silent holder has lost it.
func longFault(v *locks.Variant) time.Duration { return max(longest, v.Outlasts(lease)+lease) }

// longWork outlasts the longest fault, whenever it begins in the first lease of the work, and what
// comes after it.
func longWork(v *locks.Variant) time.Duration { return longFault(v) + lease + lease/2 }

func seconds(d time.Duration) string { return fmt.Sprintf("%ds", d/time.Second) }

func twice(t *terms) { t.rounds = max(t.rounds, 2) }

// profiles are all usage profiles, the plainest first.
var profiles = []profile{
	{Name: plainProfile, Summary: "2 clients, 1 round, work of half a lease, a response timeout of 3 s", several: true,
		change: func(*terms) {}},
	{Name: "twice", Summary: "2 rounds, so that late messages of the first meet the second", change: twice},
	// A client that asks every two seconds may miss the moment that a fast clock gives it.
	{Name: "just-within", Summary: "work of 9.5 s, the lease being 10 s; a client that waits asks twice a second",
		several: true, sparse: true,
		change: func(t *terms) { t.Work, t.retry = "9500ms", "500ms" }},
	{Name: "long-work", Summary: "work that outlasts each fault and the store's timeouts (55 s; consul 60 s), for locks that last that long",
		stands: true, change: func(t *terms) { t.Work, t.Wait = seconds(longWork(t.v)), seconds(2*longWork(t.v)) }},
	{Name: "patient-replies", Summary: "a response timeout of 15 s, longer than the lease",
		change: func(t *terms) { t.Timeout = "15s" }},
	{Name: "little-patience", Summary: "a client tries for 2 s only, and comes back for a second round",
		change: func(t *terms) { twice(t); t.Wait = "2s" }},
	{Name: "release-again", Summary: "a release whose outcome is unknown is repeated after 1 s; 2 rounds",
		change: func(t *terms) { twice(t); t.Workload = []string{"release-again: 1s"} }},
	{Name: "nested", Summary: "the holder takes the lock again, for locks that allow it", stands: true,
		change: func(t *terms) { t.Workload = []string{"nested: 1"} }},
	{Name: "three-clients", Summary: "3 clients, for queues and takeovers", change: func(t *terms) { t.clients = max(t.clients, 3) }},
	{Name: "sentinels", Summary: "sentinels promote the replica, and no operator",
		fits:   func(v *locks.Variant) bool { return v.Kind().IsRedis() && v.Servers.Shards == 0 },
		change: func(t *terms) { t.failover = "{by: sentinel, down-after: 1s, election: 500ms}" }},
	{Name: "idle-sessions", Summary: "the database ends sessions that are silent for 30 s",
		fits:   func(v *locks.Variant) bool { return v.Kind().IsDatabase() },
		change: func(t *terms) { t.idle = "30s" }},
	{Name: "five-nodes", Summary: "5 nodes of Redlock instead of 3",
		fits:   func(v *locks.Variant) bool { return v.Kind().Topology == store.Independent },
		change: func(t *terms) { t.nodes = 5 }},
	{Name: "short-wait", Summary: "a client tries for 12 s, for locks that no client gets without a fault", unserved: true, several: true,
		change: func(t *terms) { t.Wait = shortWait.String() }},
}

// profileIndex is the index of the usage profile of a name; -1 when there is none.
func profileIndex(name string) int {
	return slices.IndexFunc(profiles, func(b profile) bool { return b.Name == name })
}

// Profiles are the usage profiles, the plainest first.
func Profiles() []results.Profile {
	return each.Map(profiles, func(b profile) results.Profile { return results.Profile{Name: b.Name, Summary: b.Summary} })
}

// sketch is a story of a lock in the usage profile, without faults. fence: the resource checks
// tokens.
func (b *profile) sketch(v *locks.Variant, clients, rounds int, fence bool) scenario.Sketch {
	t := terms{
		Sketch: scenario.Sketch{Title: "walked", Lock: v.ID, Wait: "60s", Work: "5s", Stagger: "1s", Latency: "1ms", Timeout: "3s", Stored: true},
		v:      v, clients: clients, rounds: rounds, retry: "2s", failover: "{by: operator, after: 1s}", nodes: 3,
	}
	b.change(&t)
	t.Clients = "[" + strings.Join(clientNames[:t.clients], ", ") + "]"
	t.Workload = append([]string{fmt.Sprintf("repeat: %d times", t.rounds), "rest: 100ms", "retry: " + t.retry}, t.Workload...)
	if fence {
		t.Workload = append(t.Workload, "fence: reads and writes")
	}
	t.Servers = t.servers(v)
	return t.Sketch
}

// servers are those behind the lock.
func (t *terms) servers(v *locks.Variant) string {
	switch k := v.Kind(); {
	case k.IsRedis():
		if v.Servers.Shards > 0 {
			return fmt.Sprintf("{%s: {cluster: {shards: %d, replicas: 1, node-timeout: 2s}, lag: 100ms}}", k.Section, v.Servers.Shards)
		}
		replicas := max(1, v.Servers.Replicas)
		if v.Servers.MinReplicas > 0 {
			replicas++ // else no server could serve after one failover
		}
		return fmt.Sprintf("{%s: {replicas: %d, lag: 100ms, failover: %s}}", k.Section, replicas, t.failover)
	case k.Topology == store.Independent:
		return fmt.Sprintf("{%s: {nodes: %d}}", k.Section, t.nodes)
	case k.IsDatabase():
		idle := ""
		if t.idle != "" {
			idle = ", idle-timeout: " + t.idle
		}
		return fmt.Sprintf("{%s: {replicas: 1, lag: 100ms, failover: {after: 1s}%s}}", k.Section, idle)
	}
	return ""
}

// mostClients is how many clients a walk has at most.
const mostClients = 5

var clientNames = []string{"A", "B", "C", "D", "E"}
