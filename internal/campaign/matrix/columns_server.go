package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/store"

	"lockstep/internal/say"
)

// The columns in which servers or the network between them are hit.

func partitioned(s subject) []sketch {
	// Longer than a lease only for one that renews: else the work would break the lock, not the cut.
	work := "8s"
	if s.Renews {
		work = "15s"
	}
	out := []sketch{{
		name: say.Text("A is cut off while it works"), work: work,
		faults: []string{"when: A is in its critical section; partition: [A, store]; for: 25s"},
	}}
	if s.Renews {
		out = append(out, sketch{
			name: say.Text("A is cut off for a while, works on, and is told nothing"), work: "30s",
			faults: []string{"when: A is in its critical section; after: 2s; partition: [A, store]; for: 12s"},
		})
	}
	out = append(out,
		sketch{
			name: say.Text("A is cut off while it works, and its release arrives while B works"), work: "8s",
			faults: []string{"when: A is in its critical section; partition: [A, store]; for: 13s"},
		},
		// B's request then arrives when the cut ends, and B no longer waits for it. The cut comes
		// while B sends, since a later request would need a new connection, which the cut prevents.
		sketch{
			name: say.Text("B and C are cut off while they wait, and give up"), work: "5s", wait: "10s",
			workload: []string{"repeat: 2 times", "rest: 25s"}, // so that the cut ends before the run does
			faults:   []string{s.inAcquire("B", "is about to send %s", 2) + "; partition: [[B, C], [store]]; for: 20s"},
		},
	)
	if last := len(s.Release) - 1; last > 0 && !s.Kind().LeavesServers {
		// For one that looks before it removes; what it has seen is over when the cut is.
		out = append(out, sketch{
			name: cutReleasing.With(say.Verbatim(s.Release[last])), work: "8s",
			faults: []string{s.inRelease("is about to send %s", last) + "; partition: [A, store]; for: 5s"},
		})
	}
	return append(out, sketch{
		name: say.Text("A is cut off, the others give up, and A's release arrives when they have come again"), work: "2500ms", wait: "4500ms",
		workload: []string{"repeat: 2 times", "rest: 14s"},
		faults:   []string{"when: A is in its critical section; partition: [A, store]; for: 20700ms"}, bare: true,
	}, s.backInTime())
}

// backInTime is the script of a client that gives up while it is cut off, but whose session lives
// on, with its place in the queue.
func (s subject) backInTime() sketch {
	out := sketch{name: say.Text("B is cut off while it waits, gives up, and is back before its session ends"), bare: true}
	if s.Kind().CancelsRequests {
		// What B asks for and gives up reaches etcd at the heal together with the word that B gave
		// up, and either may win. So B must not learn that it has to wait: it asks for its place
		// again and again, which does no harm, and has nothing to leave. It has a session by then:
		// the first renewal of a new one would race with the request for the place.
		out.work, out.wait, out.workload = "1s", "5s", []string{"repeat: 2 times", "rest: 100ms"}
		out.faults = []string{"when: B has TXN executed the 2nd time; partition: [B, store]; for: 6s"}
		return out
	}
	// A client of ZooKeeper knows after two thirds of its session that it has no server; the
	// session ends at the server only a third later.
	out.wait = "7500ms"
	out.faults = []string{s.inAcquire("B", "has the reply of %s", 2) + "; partition: [B, store]; for: 8500ms"}
	return out
}

// replicated is a server set-up with an asynchronous replica that is so late, "" for
// stores that have none.
func (s subject) replicated(lag, failover string) string {
	switch k := s.Kind(); {
	case k.IsRedis():
		return fmt.Sprintf("{%s: {replicas: %d, lag: %s, failover: %s}}", k.Section, s.count()-1, lag, failover)
	case k.IsDatabase():
		return fmt.Sprintf("{%s: {replicas: 1, lag: %s, failover: {by: operator, after: 1s}}}", k.Section, lag)
	}
	return ""
}

// lag is how late a replica is that has not heard of the lock when its primary dies.
func (s subject) lag() string {
	if s.Hasty {
		return "200ms"
	}
	return "500ms"
}

const (
	byOperator = "{by: operator, after: 1s}"
	bySentinel = "{by: sentinel, down-after: 1s, election: 500ms}"
)

func failover(s subject) []sketch {
	if s.Servers.Shards > 0 {
		return failoverOfShard(s)
	}
	lag := s.lag()
	servers := s.replicated(lag, byOperator)
	// A supervisor starts the dead server again: it comes back as a replica.
	// Independent nodes have none, and one that comes back empty is another column.
	dies := func(when, by string) []string {
		out := []string{when + "; fail-over: " + by}
		if s.Kind().Topology != store.Independent {
			out = append(out, when+"; after: 6s; restart: "+s.server(1)+"; down: 10ms")
		}
		return out
	}
	out := []sketch{{
		name: say.Text("the primary dies as soon as A has the lock"), work: "5s", servers: servers,
		faults: dies("when: A enters", "operator"),
	}}
	for i, c := range s.Acquire {
		out = append(out, sketch{
			name: of(primaryDies.With(say.Verbatim(c)), i, len(s.Acquire)), work: "5s", servers: servers,
			faults: dies(s.inAcquire("A", "has %s executed", i), "operator"),
		})
	}
	if s.Kind().IsRedis() {
		out = append(out, sketch{
			name: say.Text("the primary dies, and sentinels promote the replica"), work: "5s", servers: s.replicated(lag, bySentinel),
			faults: dies("when: A enters", "sentinel"),
		})
	}
	if s.Kind().IsRedis() && s.Servers.Replicas != 1 {
		out = append(out, sketch{
			name: say.Text("the replica that takes over had been cut off from the primary"), work: "5s",
			servers: "{redis: {replicas: 2, failover: " + byOperator + "}}",
			faults:  append([]string{"at: 0s; partition: [" + s.server(1) + ", " + s.Kind().Names(2)[1] + "]; for: 15s"}, dies("when: A enters", "operator")...),
		})
	}
	if slices.Contains(s.Acquire, "WAIT") {
		out = append(out, sketch{
			name: say.Text("the primary dies as soon as A has the lock, and nobody starts it again"), work: "5s", servers: servers,
			faults: []string{"when: A enters; fail-over: operator"},
		}, sketch{
			name: say.Text("the primary dies as soon as A has the lock, and B comes when there is a replica again"),
			work: "9s", stagger: "7s", servers: servers, bare: true,
			faults: []string{"when: A enters; fail-over: operator", "when: A enters; after: 2s; restart: " + s.server(1) + "; down: 10ms"},
		})
	}
	return out
}

// server is the i-th server, from 1; the first one begins as the primary.
func (s subject) server(i int) string { return fmt.Sprintf("%s-%d", s.Kind().Node, i) }

// between are servers from one to another, as a list of nodes says them.
func (s subject) between(from, to int) string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, s.server(i))
	}
	return strings.Join(names, ", ")
}

// sides are the two sides of a split of n servers: A with the first ones, and all others.
func (s subject) sides(with, n int) string {
	right := s.between(with+1, n)
	if s.Kind().IsRedis() {
		right += ", sentinels"
	}
	return fmt.Sprintf("[[A, %s], [B, C, %s]]", s.between(1, with), right)
}

// count is how many servers there are in the columns where that matters.
func (s subject) count() int {
	switch k := s.Kind(); {
	case k.IsRedis():
		n := 1 + max(s.Servers.Replicas, 1)
		if s.Servers.MinReplicas > 0 {
			n++ // the one that takes over needs one as well
		}
		return n
	case k.Topology == store.Independent:
		return cmp.Or(s.Servers.Nodes, 5)
	case k.IsDatabase():
		return 2
	}
	return 3
}

func splitBrain(s subject) []sketch {
	if s.Servers.Shards > 0 {
		return splitBrainOfShard(s)
	}
	// A replica may be as late as it likes when the primary dies. Here it is in step: Redisson
	// does not wait for long, and would never get the lock from a primary with a late one.
	servers := s.replicated("0ms", bySentinel)
	n := s.count()
	var promote []string
	if s.Kind().IsDatabase() {
		promote = []string{"at: 2s; promote: replica"}
	}
	at := func(when, long string) []string {
		return append([]string{when + "; partition: " + s.sides(1, n) + "; for: " + long}, promote...)
	}
	out := []sketch{
		// A takes the lock again and again, until the others have a primary of their own,
		// however long these take to agree on one; and the cut outlasts the work of all.
		{
			name: say.Text("A acquires after the cut, on the side of the old primary"), work: "5s", servers: servers,
			workload: []string{"repeat: 3 times"}, faults: at("at: 0s", "45s"),
		},
		{name: say.Text("the cut comes when A has held the lock for a second"), work: "5s", servers: servers, faults: at("when: A enters; after: 1s", "25s")},
	}
	if s.Kind().IsRedis() {
		// Each side has a replica to confirm what its primary writes. The others come after
		// the cut: who waits in the old primary's queue is waited for there.
		out = append(out, sketch{
			name: say.Text("the cut leaves two servers on each side"), work: "5s", stagger: "5s",
			servers:  "{redis: {replicas: 3, failover: " + bySentinel + "}}",
			workload: []string{"repeat: 4 times"}, faults: []string{"at: 3s; partition: " + s.sides(2, 4) + "; for: 40s"},
		})
	}
	// B asks the old primary first, and the new one when its patience is over. A hears of that
	// one as soon as the cut heals, and sends it what was meant for the old one.
	out = append(out, sketch{
		name: say.Text("the cut heals while A works, and its release goes to the new primary"), work: "9s", servers: servers, faults: at("at: 0s", "7s"),
	})
	if s.Kind().IsRedis() {
		out = append(out, sketch{
			name: say.Text("the cut lasts until the old primary counts its lost replicas no more"), work: "5s", servers: servers,
			workload: []string{"repeat: 8 times"}, faults: []string{"at: 0s; partition: " + s.sides(1, n) + "; for: 80s"},
		})
	}
	if n > 2 {
		out = append(out, sketch{
			name: say.Text("a second server is on A's side of the cut"), work: "5s", servers: servers,
			faults: append([]string{"at: 0s; partition: " + s.sides(2, n) + "; for: 25s"}, promote...),
		})
	}
	if s.Kind().IsRedis() {
		// What the others have of A's first lease ends in the middle of its second one.
		out = append(out, sketch{
			name: say.Text("the cut comes when A has held the lock for a second, and A takes it once more"), work: "7s", servers: servers,
			workload: []string{"repeat: 2 times", "rest: 100ms"}, faults: at("when: A enters; after: 1s", "25s"), bare: true,
		})
	}
	return out
}

// justQuorum is for independent nodes: A reaches no more of them than it needs,
// and something happens to the last of these, so that the others find a quorum.
func (s subject) justQuorum(fault func(server string) string) []string {
	n := s.count()
	quorum := n/2 + 1
	return []string{
		fmt.Sprintf("at: 0s; partition: [[A], [%s]]; for: 9s", s.between(quorum+1, n)),
		"when: A enters; after: 100ms; " + fault(s.server(quorum)),
	}
}

// oneInCommon is for independent nodes and for clients that insist on each node for longer
// than they work: A reaches no more of them than it needs, the others reach those that are
// left, and something happens to the only one that both sides need.
func (s subject) oneInCommon(fault func(server string) string) []string {
	n := s.count()
	quorum := n/2 + 1
	return []string{
		fmt.Sprintf("at: 0s; partition: [[A], [%s]]; for: 60s", s.between(quorum+1, n)),
		fmt.Sprintf("at: 0s; partition: [[B, C], [%s]]; for: 60s", s.between(1, quorum-1)),
		"when: A enters; after: 100ms; " + fault(s.server(quorum)),
	}
}

func restart(s subject) []sketch {
	// The others come when the primary is back: what they ask a dead one tells nothing of
	// the lock, and a WAIT that begins too early ends too early.
	out := []sketch{{
		name: say.Text("the primary restarts while A holds"), work: "7s", stagger: "2s",
		faults: []string{"when: A is in its critical section; restart: the primary; down: 100ms"},
	}}
	if s.Kind().Topology == store.Independent {
		out = append(out, sketch{
			name: say.Text("a node that A's quorum needs restarts"), work: "5s",
			faults: s.justQuorum(func(server string) string { return "restart: " + server + "; down: 500ms" }),
		}, sketch{
			name: say.Text("the one node that both sides of a cut need restarts"), work: "9s", timeout: "400ms",
			faults: s.oneInCommon(func(server string) string { return "restart: " + server + "; down: 500ms" }),
		})
	}
	return out
}

func earlyDrop(s subject) []sketch {
	out := []sketch{
		{name: say.Text("the entry is dropped while A holds"), work: "5s", faults: []string{"when: A is in its critical section; evict: lock"}},
		{name: say.Text("the entry is dropped while A holds and B waits"), work: "5s", faults: []string{"when: A is in its critical section; after: 1500ms; evict: lock"}},
	}
	if s.Kind().Topology == store.Independent {
		out = append(out, sketch{
			name: say.Text("the entry is dropped on a node that A's quorum needs"), work: "5s",
			faults: s.justQuorum(func(server string) string { return "evict: lock; from: " + server }),
		})
	}
	return out
}

// serverPause freezes a server for longer than the lease: it answers no request, and no connection ends.
func serverPause(s subject) []sketch {
	const long = "; pause: the primary; for: 12s"
	out := []sketch{
		{name: say.Text("the primary stands still while A holds"), work: "5s", faults: []string{"when: A is in its critical section" + long}},
		{name: say.Text("the primary stands still while A holds, for less than the lease"), work: "5s", faults: []string{"when: A is in its critical section; pause: the primary; for: 4s"}},
	}
	if len(s.Release) > 0 {
		out = append(out, sketch{
			name: primaryStands.With(say.Verbatim(s.Release[0])), work: "5s",
			faults: []string{s.inRelease("is about to send %s", 0) + long},
		})
	}
	switch k := s.Kind(); {
	case k.IsRedis():
		if s.Servers.Shards == 0 {
			out = append(out, sketch{
				name: say.Text("the primary stands still, and sentinels promote the replica"), work: "7s", servers: s.replicated(s.lag(), bySentinel),
				faults: []string{"when: A enters" + long},
			})
		}
	case k.Topology == store.Independent:
		out = append(out, sketch{
			name: say.Text("a node that A's quorum needs stands still"), work: "5s",
			faults: s.justQuorum(func(server string) string { return "pause: " + server + "; for: 12s" }),
		})
	}
	return out
}
