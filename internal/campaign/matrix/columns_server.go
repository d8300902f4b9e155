package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/say"
	"lockstep/internal/store"
)

// The columns in which servers or the network between them are hit.

func partitioned(s subject) []sketch {
	// Longer than a lease only for a lock that renews, so that the cut breaks it and not the work.
	work := "8s"
	if s.Renews {
		work = "15s"
	}
	out := sketches{{
		name: say.Text("A is cut off while it works"), work: work,
		faults: []string{"when: A is in its critical section; partition: [A, store]; for: 25s"},
	}}
	if s.Renews {
		out.add(say.Text("A is cut off for a while, works on, and is told nothing"),
			sketch{work: "30s"},
			"when: A is in its critical section; after: 2s; partition: [A, store]; for: 12s")
	}
	out.add(say.Text("A is cut off while it works, and its release arrives while B works"), sketch{work: "8s"},
		"when: A is in its critical section; partition: [A, store]; for: 13s")
	// B's request then arrives after the cut, when B no longer waits for it. The cut comes while B
	// sends, as it would prevent the connection of a later request, and ends before the run does.
	out.add(say.Text("B and C are cut off while they wait, and give up"),
		sketch{work: "5s", wait: "10s", workload: []string{"repeat: 2 times", "rest: 25s"}},
		s.inAcquire("B", "is about to send %s", 2)+"; partition: [[B, C], [store]]; for: 20s")
	if last := len(s.Release) - 1; last > 0 && !s.Kind().LeavesServers {
		// For a lock that reads before it removes: what it has read is out of date after the cut.
		out.add(cutReleasing.With(say.Verbatim(s.Release[last])), sketch{work: "8s"},
			s.inRelease("is about to send %s", last)+"; partition: [A, store]; for: 5s")
	}
	out.add(say.Text("A is cut off, the others give up, and A's release arrives when they have come again"),
		sketch{work: "2500ms", wait: "4500ms", workload: []string{"repeat: 2 times", "rest: 14s"}, bare: true},
		"when: A is in its critical section; partition: [A, store]; for: 20700ms")
	return append(out, s.backInTime())
}

// backInTime is the script of a client that gives up while it is cut off, but whose session
// survives with its place in the queue.
func (s subject) backInTime() sketch {
	out := sketch{name: say.Text("B is cut off while it waits, gives up, and is back before its session ends"), bare: true}
	if s.Kind().CancelsRequests {
		// B's request and its cancellation reach etcd together after the cut, and either may win.
		// So B must not learn that it has to wait: it asks for its place again and again, which is
		// harmless. It has a session by then, as the first renewal of a new one would race with the
		// request for the place.
		out.work, out.wait, out.workload = "1s", "5s", []string{"repeat: 2 times", "rest: 100ms"}
		out.faults = []string{"when: B has TXN executed the 2nd time; partition: [B, store]; for: 6s"}
		return out
	}
	// A client of ZooKeeper notices after two thirds of its session timeout that it has no server;
	// the server ends the session only a third later.
	out.wait = "7500ms"
	out.faults = []string{s.inAcquire("B", "has the reply of %s", 2) + "; partition: [B, store]; for: 8500ms"}
	return out
}

// replicated is a setup with asynchronous replicas of that lag, "" for stores without replicas.
func (s subject) replicated(lag, failover string) string {
	switch k := s.Kind(); {
	case k.IsRedis():
		return fmt.Sprintf("{%s: {replicas: %d, lag: %s, failover: %s}}", k.Section, s.count()-1, lag, failover)
	case k.IsDatabase():
		return fmt.Sprintf("{%s: {replicas: 1, lag: %s, failover: {by: operator, after: 1s}}}", k.Section, lag)
	}
	return ""
}

// lag is the lag of a replica that does not have the lock's entry yet when its primary dies.
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
	// A supervisor restarts the dead server as a replica. Independent nodes have none, and one that
	// comes back empty belongs to another column.
	dies := func(when, by string) []string {
		out := []string{when + "; fail-over: " + by}
		if s.Kind().Topology != store.Independent {
			out = append(out, when+"; after: 6s; restart: "+s.server(1)+"; down: 10ms")
		}
		return out
	}
	out := sketches{{
		name: say.Text("the primary dies as soon as A has the lock"), work: "5s", servers: servers,
		faults: dies("when: A enters", "operator"),
	}}
	out = append(out, steps(s.Acquire, primaryDies, sketch{work: "5s", servers: servers}, func(i int) []string {
		return dies(s.inAcquire("A", "has %s executed", i), "operator")
	})...)
	if s.Kind().IsRedis() {
		out.add(say.Text("the primary dies, and sentinels promote the replica"),
			sketch{work: "5s", servers: s.replicated(lag, bySentinel)},
			dies("when: A enters", "sentinel")...)
	}
	if s.Kind().IsRedis() && s.Servers.Replicas != 1 {
		out.add(say.Text("the replica that takes over had been cut off from the primary"),
			sketch{work: "5s", servers: "{redis: {replicas: 2, failover: " + byOperator + "}}"},
			slices.Concat([]string{"at: 0s; partition: [" + s.between(1, 2) + "]; for: 15s"},
				dies("when: A enters", "operator"))...)
	}
	if slices.Contains(s.Acquire, "WAIT") {
		const failsOver = "when: A enters; fail-over: operator"
		out.add(say.Text("the primary dies as soon as A has the lock, and nobody starts it again"),
			sketch{work: "5s", servers: servers}, failsOver)
		out.add(say.Text("the primary dies as soon as A has the lock, and B comes when there is a replica again"),
			sketch{work: "9s", stagger: "7s", servers: servers, bare: true},
			failsOver, "when: A enters; after: 2s; restart: "+s.server(1)+"; down: 10ms")
	}
	return out
}

// server is the i-th server, from 1; the first one begins as the primary.
func (s subject) server(i int) string { return fmt.Sprintf("%s-%d", s.Kind().Node, i) }

// between lists the servers from one to another.
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

// count is the number of servers in columns for which it matters.
func (s subject) count() int {
	switch k := s.Kind(); {
	case k.IsRedis():
		n := 1 + max(s.Servers.Replicas, 1)
		if s.Servers.MinReplicas > 0 {
			n++ // the one that takes over needs a replica as well
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
	// The replica has no lag: Redisson, which does not wait for long, would never get the lock from
	// a primary with a late one.
	servers := s.replicated("0ms", bySentinel)
	n := s.count()
	var promote []string
	if s.Kind().IsDatabase() {
		promote = []string{"at: 2s; promote: replica"}
	}
	at := func(when, long string) []string {
		return append([]string{when + "; partition: " + s.sides(1, n) + "; for: " + long}, promote...)
	}
	out := sketches{
		// A takes the lock again and again, until the others have agreed on their own primary,
		// however long that takes; the cut outlasts all work.
		{
			name: say.Text("A acquires after the cut, on the side of the old primary"), work: "5s", servers: servers,
			workload: []string{"repeat: 3 times"}, faults: at("at: 0s", "45s"),
		},
		{name: say.Text("the cut comes when A has held the lock for a second"), work: "5s", servers: servers, faults: at("when: A enters; after: 1s", "25s")},
	}
	if s.Kind().IsRedis() {
		// Each side has a replica to confirm writes. The others come after the cut, as the old
		// primary would wait for those in its queue.
		out.add(say.Text("the cut leaves two servers on each side"),
			sketch{work: "5s", stagger: "5s", servers: "{redis: {replicas: 3, failover: " + bySentinel + "}}", workload: []string{"repeat: 4 times"}},
			"at: 3s; partition: "+s.sides(2, 4)+"; for: 40s")
	}
	// B asks the old primary first, and the new one when its patience is over. A learns of the new
	// one as soon as the cut heals, and sends it what was meant for the old one.
	out.add(say.Text("the cut heals while A works, and its release goes to the new primary"),
		sketch{work: "9s", servers: servers},
		at("at: 0s", "7s")...)
	if s.Kind().IsRedis() {
		out.add(say.Text("the cut lasts until the old primary counts its lost replicas no more"),
			sketch{work: "5s", servers: servers, workload: []string{"repeat: 8 times"}},
			"at: 0s; partition: "+s.sides(1, n)+"; for: 80s")
	}
	if n > 2 {
		out.add(say.Text("a second server is on A's side of the cut"),
			sketch{work: "5s", servers: servers},
			append([]string{"at: 0s; partition: " + s.sides(2, n) + "; for: 25s"}, promote...)...)
	}
	if s.Kind().IsRedis() {
		// What the others have of A's first lease ends in the middle of its second one.
		out.add(say.Text("the cut comes when A has held the lock for a second, and A takes it once more"),
			sketch{work: "7s", servers: servers, workload: []string{"repeat: 2 times", "rest: 100ms"}, bare: true},
			at("when: A enters; after: 1s", "25s")...)
	}
	return out
}

// justQuorum is for independent nodes: A reaches no more than a quorum of them, and a fault hits
// the last of these, so that the others find a quorum.
func (s subject) justQuorum(fault string) []string {
	n := s.count()
	quorum := n/2 + 1
	return []string{
		fmt.Sprintf("at: 0s; partition: [[A], [%s]]; for: 9s", s.between(quorum+1, n)),
		"when: A enters; after: 100ms; " + fmt.Sprintf(fault, s.server(quorum)),
	}
}

// oneInCommon is for independent nodes: A reaches no more than a quorum, the others the remaining
// nodes, and a fault hits the only node that both sides need.
func (s subject) oneInCommon(fault string) []string {
	n := s.count()
	quorum := n/2 + 1
	return []string{
		fmt.Sprintf("at: 0s; partition: [[A], [%s]]; for: 60s", s.between(quorum+1, n)),
		fmt.Sprintf("at: 0s; partition: [[B, C], [%s]]; for: 60s", s.between(1, quorum-1)),
		"when: A enters; after: 100ms; " + fmt.Sprintf(fault, s.server(quorum)),
	}
}

func restart(s subject) []sketch {
	// The others come when the primary is back: a dead one tells them nothing, and a WAIT that
	// begins too early ends too early.
	out := sketches{{
		name: say.Text("the primary restarts while A holds"), work: "7s", stagger: "2s",
		faults: []string{"when: A is in its critical section; restart: the primary; down: 100ms"},
	}}
	if s.Kind().Topology == store.Independent {
		out.add(say.Text("a node that A's quorum needs restarts"), sketch{work: "5s"},
			s.justQuorum("restart: %s; down: 500ms")...)
		out.add(say.Text("the one node that both sides of a cut need restarts"),
			sketch{work: "9s", timeout: "400ms"}, s.oneInCommon("restart: %s; down: 500ms")...)
	}
	return out
}

func earlyDrop(s subject) []sketch {
	out := sketches{
		{name: say.Text("the entry is dropped while A holds"), work: "5s", faults: []string{"when: A is in its critical section; evict: lock"}},
		{name: say.Text("the entry is dropped while A holds and B waits"), work: "5s", faults: []string{"when: A is in its critical section; after: 1500ms; evict: lock"}},
	}
	if s.Kind().Topology == store.Independent {
		out.add(say.Text("the entry is dropped on a node that A's quorum needs"),
			sketch{work: "5s"},
			s.justQuorum("evict: lock; from: %s")...)
	}
	return out
}

// serverPause freezes a server for longer than the lease: it answers no request, and its
// connections stay open.
func serverPause(s subject) []sketch {
	const long = "; pause: the primary; for: 12s"
	out := sketches{
		{name: say.Text("the primary stands still while A holds"), work: "5s", faults: []string{"when: A is in its critical section" + long}},
		{name: say.Text("the primary stands still while A holds, for less than the lease"), work: "5s", faults: []string{"when: A is in its critical section; pause: the primary; for: 4s"}},
	}
	if len(s.Release) > 0 {
		out.add(primaryStands.With(say.Verbatim(s.Release[0])), sketch{work: "5s"},
			s.inRelease("is about to send %s", 0)+long)
	}
	switch k := s.Kind(); {
	case k.IsRedis():
		if s.Servers.Shards == 0 {
			out.add(say.Text("the primary stands still, and sentinels promote the replica"),
				sketch{work: "7s", servers: s.replicated(s.lag(), bySentinel)},
				"when: A enters"+long)
		}
	case k.Topology == store.Independent:
		out.add(say.Text("a node that A's quorum needs stands still"), sketch{work: "5s"},
			s.justQuorum("pause: %s; for: 12s")...)
	}
	return out
}

// The columns for Redis Cluster, where only the other primaries promote a replica.

// The lock's key has hash slot 8718, so with three shards redis-2 has it, with redis-5 as its
// replica.
const (
	lockPrimary = "redis-2"
	lockReplica = "redis-5"
)

// shardsBehind are the servers of a cluster with that replication lag.
func shardsBehind(lag string) string {
	return "{redis: {cluster: {shards: 3, replicas: 1, node-timeout: 2500ms}, lag: " + lag + "}}"
}

// besides are the nodes of the cluster except the lock's primary.
const besides = "redis-1, redis-3, redis-4, redis-5, redis-6"

func failoverOfShard(s subject) []sketch {
	dies := func(when, node string) []string {
		return []string{when + "; crash: " + node, when + "; after: 9s; restart: " + node + "; down: 10ms"}
	}
	return []sketch{
		{
			name: say.Text("the lock's primary dies as soon as A has the lock"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies("when: A enters", lockPrimary),
		},
		{
			name: say.Text("the lock's primary dies when it has executed SET of A"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies(s.inAcquire("A", "has %s executed", 0), lockPrimary),
		},
		{
			name: say.Text("the primary of another shard dies as soon as A has the lock"), work: "7s", servers: shardsBehind("500ms"),
			faults: dies("when: A enters", "redis-1"),
		},
	}
}

func splitBrainOfShard(subject) []sketch {
	cut := func(left, right, long string) []string {
		return []string{"at: 0s; partition: [[A, " + left + "], [B, C, " + right + "]]; for: " + long}
	}
	return []sketch{
		{
			// A has the lock when its node timeout is nearly over, and others get it afterwards.
			name: say.Text("A acquires after the cut, on the side of the old primary"), work: "8s", servers: shardsBehind("0ms"),
			workload: []string{"repeat: 2 times"}, faults: cut(lockPrimary, besides, "45s"),
		},
		{
			name: say.Text("the replica is on A's side of the cut"), work: "5s", servers: shardsBehind("0ms"),
			faults: cut(lockPrimary+", "+lockReplica, "redis-1, redis-3, redis-4, redis-6", "25s"),
		},
	}
}
