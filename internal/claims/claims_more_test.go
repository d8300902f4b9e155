package claims

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
)

// Claims about waiting, the stores and what they cost, in worlds in which they are
// otherwise. See TestAChangedWorldChangesTheVerdict.
func TestAChangedWorldChangesTheVerdictOfTheStores(t *testing.T) {
	longLease := func(p *plan.Plan) { p.Lease = time.Minute }
	tests := []struct {
		name           string
		n              int
		usual, changed string
		lab            *Lab
	}{
		{"a release on all nodes in both designs", 27, True, False, &Lab{Instead: map[string]string{"redlock-minrelease": "redlock"}}},
		{"WAIT on another connection blocks nobody", 28, True, False, &Lab{Instead: map[string]string{"set-wait": "set-wait-pooled"}}},
		{"every partition ends before WAIT does", 29, Depends, True, &Lab{Change: endSoon}},
		{"clocks play no part", 34, Depends, False, &Lab{Instead: map[string]string{"setnx-timestamp-del": "set-nx-lua", "setnx-timestamp-getset": "set-nx-lua"}}},
		{"no lock has an expiry", 36, Depends, True, &Lab{Instead: map[string]string{
			"set-nx-lua": "setnx", "lua-setex": "setnx", "redlock": "setnx", "mysql-unique-ttl": "mysql-unique",
		}}},
		{"clusters of one server", 37, True, False, &Lab{Change: func(p *plan.Plan) { p.Etcd.Nodes, p.ZooKeeper.Nodes = 1, 1 }}},
		{"all locks of a database try an INSERT", 38, Depends, True, &Lab{Instead: map[string]string{
			"mysql-get-lock": "mysql-unique", "mysql-for-update": "mysql-unique", "pg-advisory": "mysql-unique",
		}}},
		{"a table that expires its rows", 39, True, False, &Lab{Instead: map[string]string{"mysql-unique": "mysql-unique-ttl"}}},
		{"both queue", 42, Depends, True, &Lab{Instead: map[string]string{"etcd-txn": "etcd-mutex"}}},
		{"nobody queues", 42, Depends, False, &Lab{Instead: map[string]string{"etcd-mutex": "etcd-txn"}}},
		{"a lease of 3 s", 43, False, True, &Lab{Change: func(p *plan.Plan) { p.Lease = 3 * time.Second }}},
		{"a lease that outlasts the faults", 44, False, True, &Lab{Change: longLease}},
		{"the same lock twice", 45, False, True, &Lab{Instead: map[string]string{"etcd-mutex": "etcd-txn"}}},
		{"a session that is a connection", 46, Depends, True, &Lab{Instead: map[string]string{"zk-ephemeral": "mysql-get-lock"}}},
		{"a lock without a session", 47, True, False, &Lab{Instead: map[string]string{"zk-ephemeral": "mysql-unique"}}},
		{"everybody watches one key", 57, True, False, &Lab{Instead: map[string]string{"etcd-prefix-watch": "etcd-mutex"}}},
		{"the small cluster is the large one", 58, False, True, &Lab{Change: func(p *plan.Plan) { p.Etcd.Nodes = 6 - p.Etcd.Nodes }}},
		{"a lease that outlasts the faults", 50, Depends, False, &Lab{Change: longLease}},
		{"a world without faults", 51, True, False, &Lab{Change: func(p *plan.Plan) { p.Faults = nil }}},
	}
	usual := map[int]Result{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, ok := usual[tt.n]; !ok {
				usual[tt.n] = verdictOf(t, tt.n, &Lab{})
			}
			if got := usual[tt.n]; got.Verdict != tt.usual {
				t.Errorf("in the usual world: %s: %s", got.Verdict, got.Figure)
			}
			if got := verdictOf(t, tt.n, tt.lab); got.Verdict != tt.changed {
				t.Errorf("in the changed world: %s: %s", got.Verdict, got.Figure)
			}
		})
	}
}

// endSoon lets no fault last longer than 4 s.
func endSoon(p *plan.Plan) {
	shorter := append([]faults.Fault(nil), p.Faults...)
	for i := range shorter {
		shorter[i].End.For = min(shorter[i].End.For, 4*time.Second)
	}
	p.Faults = shorter
}

// The bare commands answer as the documentations say.
// A lock of one machine always fails among several, so no world makes claim 55 false; one in
// which nobody contends measures nothing.
func TestALockOfOneMachineNeedsContenders(t *testing.T) {
	if got := verdictOf(t, 55, &Lab{}); got.Verdict != True {
		t.Errorf("in the usual world: %s: %s", got.Verdict, got.Figure)
	}
	c, _ := Lookup(55)
	alone := changing(func(p *plan.Plan) { p.Clients = p.Clients[:1] })
	if _, err := measure(t.Context(), alone, c); err == nil || !strings.Contains(err.Error(), "no client ever had to wait") {
		t.Errorf("alone: the experiment ends with %v", err)
	}
}

func TestBareCommands(t *testing.T) {
	for n, want := range map[int]string{32: False, 33: Depends, 41: Depends} { // order: independent
		if got := verdictOf(t, n, &Lab{}); got.Verdict != want {
			t.Errorf("claim %d: %s: %s", n, got.Verdict, got.Figure)
		}
	}
}

// etcd's model cannot contradict itself, so what would notice it is tested with
// histories by hand.
func TestContradictionsAreNoticed(t *testing.T) {
	type step struct {
		kind    history.Kind
		request int64
		text    string
	}
	tests := []struct {
		name           string
		steps          []step
		replies, wrong int
	}{
		{"one after the other", []step{
			{history.Sent, 1, ""}, {history.Replied, 1, "succeeded, revision 4"},
			{history.Sent, 2, ""}, {history.Replied, 2, "revision 4, lock created 3"},
		}, 2, 0},
		{"an old answer to a later question", []step{
			{history.Sent, 1, ""}, {history.Replied, 1, "succeeded, revision 4"},
			{history.Sent, 2, ""}, {history.Replied, 2, "revision 3"},
		}, 2, 1},
		{"an old answer to a question of that time", []step{
			{history.Sent, 1, ""}, {history.Sent, 2, ""},
			{history.Replied, 1, "succeeded, revision 4"}, {history.Replied, 2, "revision 3"},
		}, 2, 0},
		{"answers without a revision", []step{
			{history.Sent, 1, ""}, {history.Replied, 1, "lease 7, TTL 10"},
		}, 0, 0},
		{"two entries at once", []step{
			{history.Granted, 0, "lock"}, {history.Granted, 0, "lock"},
		}, 0, 1},
		{"two entries in turn", []step{
			{history.Granted, 0, "lock"}, {history.Expired, 0, "lock"}, {history.Granted, 0, "lock"}, {history.Removed, 0, "lock"},
		}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := history.New(history.Header{Nodes: []history.Node{{Name: "A", Role: history.RoleClient}}})
			for i, s := range tt.steps {
				h.Add(history.Event{
					At: history.Instant(i), Kind: s.kind, Node: 1, Value: s.request, Text: h.Intern(s.text), Cause: history.NoCause,
				})
			}
			r := &Run{}
			r.History = h
			if replies, wrong := contradictions(r); replies != tt.replies || wrong != tt.wrong {
				t.Errorf("got %d replies, %d of them wrong; want %d, %d", replies, wrong, tt.replies, tt.wrong)
			}
		})
	}
}

// The two clients of a lock in the simulator: A's round takes 2 ms, 1 s and 2 ms, and
// B, who asks 100 ms later, gets the lock at its next try.
func TestRoundsAndRequests(t *testing.T) {
	lab := &Lab{}
	r := lab.One(Story{Lock: "set-nx-lua", Clients: "[A, B]", Work: "1s", Latency: "1ms"})
	at := func(ms int64) history.Instant { return history.Instant(ms * int64(time.Millisecond)) }
	want := Round{Client: r.History.Node("A"), Waits: 0, Acquired: at(2), Releasing: at(1006), Done: at(1008)}
	if got := r.Rounds("A"); len(got) != 1 || got[0] != want {
		t.Errorf("A's rounds: %+v; want %+v", got, want)
	}
	if n := len(r.Rounds("")); n != 2 {
		t.Errorf("%d rounds; want 2: the probe's is none", n)
	}
	sets := Only(r.Requests("B"), "SET")
	if len(sets) < 2 || sets[0].Reply != "(nil)" || sets[0].Took() != 2*time.Millisecond || sets[len(sets)-1].Reply != "OK" {
		t.Errorf("B's requests: %+v", sets)
	}
	if c := lab.Cost(Story{Lock: "set-nx-lua"}); c != (Cost{Acquire: 2 * time.Millisecond, Release: 2 * time.Millisecond, Requests: 2000}) {
		t.Errorf("an undisturbed round: %+v", c)
	}
	// 5 nodes one after the other, two messages each.
	if c := lab.Cost(Story{Lock: "redlock"}); c != (Cost{Acquire: 10 * time.Millisecond, Release: 10 * time.Millisecond, Requests: 10_000}) {
		t.Errorf("an undisturbed round of Redlock: %+v", c)
	}
	// A client of the leader waits for two messages of its own and two between
	// servers, the other two clients for two more.
	sixteenThirds := 16 * time.Millisecond / 3
	if c := lab.Cost(Story{Lock: "zk-ephemeral"}); c.Acquire != sixteenThirds || c.Release != sixteenThirds {
		t.Errorf("an undisturbed round of ZooKeeper: %+v", c)
	}
}

// The parallel Redlock is there for its costs, but it has to be a lock.
func TestParallelRedlockIsALock(t *testing.T) {
	lab := &Lab{}
	v := locks.Variant{ID: "redlock-parallel", Store: locks.StoreRedisNodes, New: newParallelRedlock}
	runs := lab.PlayVariant(Story{Lock: "redlock", Workload: []string{"repeat: 3 times"}, Work: "200ms"}, v, 20)
	for i, r := range runs {
		if len(r.Rounds("")) != 9 || r.Overlapped() || r.Robbed() || r.Stuck() || !r.Waited {
			t.Errorf("seed %d: %d rounds, %s", i+1, len(r.Rounds("")), r.Letter)
		}
	}
	// Two nodes are no majority, three are one.
	const split = "at: 0s; partition: [[A, redis-1, redis-2], [B, C, redis-3, redis-4, redis-5]]; for: 20s"
	for i, r := range lab.PlayVariant(Story{Lock: "redlock", Faults: []string{split}}, v, 5) {
		early := 0
		for _, hold := range r.Holds("") {
			if hold.Start < history.Instant(20*time.Second) && r.Name(hold.Client) != "A" {
				early++
			}
		}
		if len(r.Rounds("")) != 3 || early != 2 || r.Overlapped() {
			t.Errorf("two nodes and three, seed %d: %d rounds, %d of them on the side of the three, %s", i+1, len(r.Rounds("")), early, r.Letter)
		}
	}
}
