package real_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
	"lockstep/internal/sim"
	"lockstep/internal/store/zookeeper"
)

// played is a lock of a store other than Redis and what its clients say to it.
type played struct {
	lock    string
	nodes   int    // of a cluster
	take    string // the command that takes the lock
	needs   []string
	session bool // the lock ends with the connection, and with nothing else
	lasts   bool // the lock never ends by itself
	delay   bool // one that has ended by itself stays closed for longer than its lease
	again   bool // asks what another one of its topology asks: it belongs to the second tier
}

var stores = []played{
	{lock: "etcd-txn", nodes: 1, take: "TXN", needs: []string{"etcd"}, again: true},
	{lock: "etcd-mutex", nodes: 3, take: "TXN", needs: []string{"etcd"}},
	{lock: "zk-ephemeral", nodes: 1, take: "CREATE", needs: []string{"java", "zookeeper.jar"}},
	{lock: "zk-sequential", nodes: 3, take: "CREATE", needs: []string{"java", "zookeeper.jar"}, again: true},
	{lock: "mysql-unique", take: "INSERT", needs: []string{"mariadbd"}, lasts: true, again: true},
	{lock: "mysql-unique-ttl", take: "INSERT", needs: []string{"mariadbd"}},
	{lock: "mysql-get-lock", take: "GET_LOCK", needs: []string{"mariadbd"}, session: true, again: true},
	{lock: "pg-advisory", take: "PG_ADVISORY_LOCK", needs: []string{"postgres", "initdb"}, session: true},
	{lock: "consul-session", nodes: 1, take: "ACQUIRE", needs: []string{"consul"}, delay: true},
	{lock: "consul-session", nodes: 3, take: "ACQUIRE", needs: []string{"consul"}, delay: true},
}

// onePerWire are locks of all protocols, each on one server; none of them asks what another one asks.
var onePerWire = first(stores[0], stores[2], stores[5], stores[6], stores[7], stores[8])

// first are locks that the first tier plays.
func first(some ...played) []played {
	for i := range some {
		some[i].again = false
	}
	return some
}

// each plays a plan with each store, all beside each other.
func each(t *testing.T, stores []played, play func(*testing.T, *plan.Plan, played)) {
	for _, s := range stores {
		t.Run(s.lock, func(t *testing.T) {
			if s.again {
				realtest.SecondTier(t)
			}
			for _, program := range s.needs {
				realtest.Need(t, program)
			}
			t.Parallel()
			p := quick("A", "B")
			p.Workload.Wait = 10 * time.Second
			p.Workload.Stagger = 300 * time.Millisecond // A is first, also where it has to begin a session
			p.Cluster("etcd").Nodes, p.Cluster("zookeeper").Nodes, p.Cluster("consul").Nodes = max(s.nodes, 1), max(s.nodes, 1), max(s.nodes, 1)
			p.Cluster("consul").Settings[0] = 100 * time.Millisecond // for sessions of one second
			p.Cluster("etcd").Election = 100 * time.Millisecond      // for a lease of one second
			play(t, p, s)
		})
	}
}

func TestEachStoreGivesItsLockToOneAtATime(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Repeat = 3
		h := run(t, p, s.lock)
		if n := overlaps(h); n != 0 {
			t.Errorf("%d overlaps", n)
		}
		for _, name := range p.Clients {
			if n := len(find(h, history.Acquired, name)); n != 3 {
				t.Errorf("%s acquired %d times, want 3", name, n)
			}
		}
		if n := len(find(h, history.Granted, "")); n != 7 {
			t.Errorf("%d grants, want 7", n)
		}
		for _, e := range find(h, history.Removed, "") {
			if e.Peer != e.Owner {
				t.Errorf("%s removed %s's entry", h.Name(e.Peer), h.Name(e.Owner))
			}
		}
		if n := len(find(h, history.Removed, "")); n == 0 {
			t.Error("no client is known to have removed an entry")
		}
		simulated, err := sim.Run(p, s.lock, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := firstAsked(h), firstAsked(simulated); !maps.Equal(got, want) {
			t.Errorf("the clients begin at %v, in the simulator at %v", got, want)
		}
	})
}

// firstAsked says which server each client asks first.
func firstAsked(h *history.History) map[string]string {
	first := map[string]string{}
	for _, e := range h.Events {
		if who := h.Name(e.Node); e.Kind == history.Sent && first[who] == "" {
			first[who] = h.Name(e.Peer)
		}
	}
	return first
}

func TestAPausePastTheLeaseInEachStore(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Repeat = 2 // B wants the lock while A sleeps, in either order
		fault(t, p, when(faults.InSection, "A", ""), "pause", "A", 0, faults.End{For: 2500 * time.Millisecond})
		h := run(t, p, s.lock)
		want := 1
		if s.session || s.lasts || s.delay {
			want = 0
		}
		if n := min(overlaps(h), 1); n != want {
			t.Errorf("overlaps: %d, want %d", n, want)
		}
		if n := len(find(h, history.Acquired, "B")); n != 2 {
			t.Errorf("B acquired %d times, want 2", n)
		}
	})
}

// The model gives a leader of ZooKeeper that is only silent as long as real servers do.
func TestASilentLeaderOfZooKeeperIsGivenTime(t *testing.T) {
	t.Parallel()
	each(t, first(stores[3]), func(t *testing.T, p *plan.Plan, s played) {
		partition, _ := faults.Lookup("partition")
		p.Workload.Work = plan.Range{Min: 5 * time.Second, Max: 5 * time.Second}
		p.Faults = []faults.Fault{faults.Make(1, partition, faults.Args{Sides: [][]string{{"zk-1"}, {"zk-2", "zk-3"}}},
			when(faults.InSection, "A", ""), faults.End{For: 4 * time.Second})}
		h := run(t, p, s.lock)
		began, promoted := find(h, history.FaultBegan, ""), find(h, history.Promoted, "")
		if len(began) != 1 || len(promoted) == 0 {
			t.Fatalf("%d partitions, %d elections", len(began), len(promoted))
		}
		v, _ := p.Lock(s.lock)
		tick := zookeeper.Tick(p.SettingsOf(plan.StoreOf(&v).Store))
		if silent := promoted[0].At.Sub(began[0].At); silent < zookeeper.SyncLimit*tick {
			t.Errorf("another one led after %v, with ticks of %v", silent, tick)
		}
	})
}

// The lock of a dead client is free when the server hears of it: a session at once, unless the machine
// has died as well, a lease at its end, and a row never.
func TestAClientDiesInEachStore(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"crash", "lose-host"} {
		t.Run(verb, func(t *testing.T) {
			each(t, stores, func(t *testing.T, p *plan.Plan, s played) {
				p.Workload.Wait = 4 * time.Second
				if s.delay {
					p.Workload.Wait = 10 * time.Second
				}
				fault(t, p, when(faults.InSection, "A", ""), verb, "A", 0, faults.End{})
				h := run(t, p, s.lock)
				want := 1
				if s.lasts || s.session && verb == "lose-host" {
					want = 0
				}
				crashed, acquired := find(h, history.Crashed, "A"), find(h, history.Acquired, "B")
				if len(crashed) != 1 || len(acquired) != want {
					t.Fatalf("%d crashes, want 1; B acquired %d times, want %d", len(crashed), len(acquired), want)
				}
				if want == 0 {
					return
				}
				after := acquired[0].At.Sub(crashed[0].At)
				if s.session && after > 900*time.Millisecond || !s.session && after < 500*time.Millisecond {
					t.Errorf("B acquired %v after the crash: a session ends with its connection, a lease by time", after)
				}
			})
		})
	}
}

// Servers that end idle sessions give the lock of a lost host to the next one.
func TestAnIdleSessionOfALostHostEnds(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		if !s.session {
			continue
		}
		each(t, []played{s}, func(t *testing.T, p *plan.Plan, s played) {
			p.Database("mysql").IdleTimeout, p.Database("postgres").IdleTimeout = 2*time.Second, 2*time.Second
			fault(t, p, when(faults.InSection, "A", ""), "lose-host", "A", 0, faults.End{})
			h := run(t, p, s.lock)
			crashed, acquired := find(h, history.Crashed, "A"), find(h, history.Acquired, "B")
			if len(crashed) != 1 || len(acquired) != 1 {
				t.Fatalf("%d crashes, B acquired %d times, want one of each", len(crashed), len(acquired))
			}
			if after := acquired[0].At.Sub(crashed[0].At); after < time.Second {
				t.Errorf("B acquired %v after the loss, before A's session can have been idle for long enough", after)
			}
		})
	}
}

// What MariaDB cannot count is refused before anything starts.
func TestSplitSecondsAreRefused(t *testing.T) {
	for idle, want := range map[time.Duration]bool{
		0: false, time.Second: false, 1500 * time.Millisecond: true, 400 * time.Millisecond: true, 30 * time.Second: false,
		8 * time.Hour / 30: false, 8*time.Hour/7 + 1: false,
	} {
		p := quick("A", "B")
		p.Database("mysql").IdleTimeout = idle
		if err := real.Refuse(p, "mysql-get-lock", real.Options{}); (err != nil) != want {
			t.Errorf("%v: %v", idle, err)
		}
		p.Database("postgres").IdleTimeout = idle
		if err := real.Refuse(p, "pg-advisory", real.Options{}); err != nil {
			t.Errorf("%v with PostgreSQL: %v", idle, err)
		}
	}
}

func TestAPartitionInEachStore(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Work = plan.Range{Min: 200 * time.Millisecond, Max: 200 * time.Millisecond}
		sided(p, when(faults.InSection, "A", ""), "partition", []string{"A"}, []string{faults.TheStore},
			faults.End{For: 3 * time.Second})
		h := run(t, p, s.lock)
		began, ended := find(h, history.FaultBegan, ""), find(h, history.FaultEnded, "")
		if len(began) != 1 || len(ended) != 1 {
			t.Fatal("the partition did not begin and end")
		}
		for _, e := range find(h, history.Replied, "A") {
			if e.At > began[0].At.Add(20*time.Millisecond) && e.At < ended[0].At {
				t.Errorf("A has an answer at %v, within the partition: %s", e.At, h.Text(e.Text))
			}
		}
		acquired := find(h, history.Acquired, "B")
		if len(acquired) != 1 {
			t.Fatalf("B acquired %d times, want once", len(acquired))
		}
		if waits := s.session || s.lasts || s.delay; waits == (acquired[0].At < ended[0].At) {
			t.Errorf("B acquired at %v, the partition ended at %v", acquired[0].At, ended[0].At)
		}
	})
}

// The store has done what it was asked for, and the client does not hear of it.
func TestALostReplyInEachStore(t *testing.T) {
	t.Parallel()
	each(t, onePerWire, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Wait = 4 * time.Second
		fault(t, p, when(faults.HasExecuted, "A", s.take), "drop", "reply", 0, faults.End{})
		h := run(t, p, s.lock)
		if n := len(find(h, history.ReplyDropped, "")); n != 1 {
			t.Fatalf("%d replies lost, want 1", n)
		}
		if len(find(h, history.TimedOut, "A")) == 0 {
			t.Error("A has missed no answer")
		}
		if n := overlaps(h); n != 0 {
			t.Errorf("%d overlaps", n)
		}
	})
}

func TestALostRequestInEachStore(t *testing.T) {
	t.Parallel()
	each(t, onePerWire, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Wait = 4 * time.Second
		fault(t, p, when(faults.AboutToSend, "A", s.take), "drop", "request", 0, faults.End{})
		h := run(t, p, s.lock)
		dropped, timedOut := find(h, history.RequestDropped, "A"), find(h, history.TimedOut, "A")
		if len(dropped) != 1 || len(timedOut) == 0 {
			t.Fatalf("%d requests lost and %d missed answers, want 1 and more than 0", len(dropped), len(timedOut))
		}
		acquired := find(h, history.Acquired, "B")
		if len(acquired) != 1 || acquired[0].At.Duration() > 1100*time.Millisecond {
			t.Error("B did not acquire at once: A's request has arrived")
		}
	})
}

func TestAMomentOnTheWireOfEachStore(t *testing.T) {
	t.Parallel()
	each(t, onePerWire, func(t *testing.T, p *plan.Plan, s played) {
		p.Network.Timeout = 2 * time.Second
		fault(t, p, when(faults.HasExecuted, "A", s.take), "pause", "A", 0, faults.End{For: 200 * time.Millisecond})
		h := run(t, p, s.lock)
		froze, thawed := find(h, history.Froze, "A"), find(h, history.Thawed, "A")
		if len(froze) != 1 || len(thawed) != 1 {
			t.Fatal("A was not paused once")
		}
		for _, e := range find(h, history.Replied, "A") {
			if e.At > froze[0].At && e.At < thawed[0].At {
				t.Errorf("A has an answer while it is stopped: %s", h.Text(e.Text))
			}
		}
		if acquired := find(h, history.Acquired, "A"); len(acquired) != 1 || acquired[0].At < thawed[0].At {
			t.Error("A did not acquire once, after its pause")
		}
	})
}

func TestAServerIsStartedAgainInEachStore(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Work = plan.Range{Min: 400 * time.Millisecond, Max: 400 * time.Millisecond}
		restart(t, p, faults.ThePrimary, 50*time.Millisecond)
		h := run(t, p, s.lock)
		if len(find(h, history.Crashed, "")) != 1 || len(find(h, history.Restarted, "")) != 1 {
			t.Error("no server died and came back")
		}
		if s.lasts {
			return // a release that finds the server down leaves the row for ever
		}
		if len(find(h, history.Acquired, "probe")) != 1 {
			t.Error("the probe did not acquire")
		}
	})
}

func TestTheLeaderOfAClusterDies(t *testing.T) {
	t.Parallel()
	each(t, []played{stores[1], stores[3], stores[9]}, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Repeat = 2
		fault(t, p, when(faults.InSection, "A", ""), "crash", faults.ThePrimary, 0, faults.End{})
		h := run(t, p, s.lock)
		crashed, promoted := find(h, history.Crashed, ""), find(h, history.Promoted, "")
		if len(crashed) != 1 || len(promoted) == 0 {
			t.Fatal("no leader died, or none took its place")
		}
		// How long an election takes is not ours to say, and a client may have given up.
		all := find(h, history.Acquired, "")
		if len(all) == 0 || all[len(all)-1].At < promoted[0].At {
			t.Error("no client acquired under the new leader")
		}
		if n := overlaps(h); n != 0 {
			t.Errorf("%d overlaps", n)
		}
	})
}

func TestAnOperatorEndsTheHoldersSession(t *testing.T) {
	t.Parallel()
	evictable := []played{stores[0], stores[1], stores[4], stores[5], stores[6], stores[7]}
	each(t, evictable, func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Work = plan.Range{Min: 900 * time.Millisecond, Max: 900 * time.Millisecond}
		fault(t, p, when(faults.InSection, "A", ""), "evict", "lock", 0, faults.End{})
		h := run(t, p, s.lock)
		acquired := find(h, history.Acquired, "B")
		if len(acquired) != 1 || acquired[0].At.Duration() > 800*time.Millisecond {
			t.Error("B did not acquire while A worked")
		}
		evicted := 0
		for _, e := range find(h, history.Removed, "") {
			if e.Peer == 0 && h.Name(e.Owner) == "A" {
				evicted++
			}
		}
		if evicted != 1 {
			t.Errorf("A's entry was removed without a client %d times, want once", evicted)
		}
	})
}

// The session that an operator destroys was A's, and its lock delay keeps B out for a while.
func TestAnOperatorDestroysTheHoldersSessionOfConsul(t *testing.T) {
	t.Parallel()
	each(t, stores[8:9], func(t *testing.T, p *plan.Plan, s played) {
		p.Workload.Work = plan.Range{Min: 900 * time.Millisecond, Max: 900 * time.Millisecond}
		fault(t, p, when(faults.InSection, "A", ""), "evict", "lock", 0, faults.End{})
		h := run(t, p, s.lock)
		began, acquired := find(h, history.FaultBegan, ""), find(h, history.Acquired, "B")
		if len(began) != 1 || len(acquired) != 1 || acquired[0].At.Sub(began[0].At) < 15*p.Cluster("consul").Settings[0] {
			t.Error("B did not acquire once, after the lock delay")
		}
		removed := find(h, history.Removed, "")
		if len(removed) == 0 || removed[0].Peer != 0 || h.Name(removed[0].Owner) != "A" {
			t.Error("the first entry to be removed was not A's, or a client removed it")
		}
		if len(find(h, history.NotHeld, "A")) != 1 || overlaps(h) != 0 {
			t.Errorf("A did not hear of it, or %d overlaps", overlaps(h))
		}
	})
}

// Sessions of Consul that are shorter than a second are not played, and the sentence says
// what to do.
func TestConsulDoesNotLiveFasterThanASecond(t *testing.T) {
	p := quick("A", "B")
	p.Cluster("consul").Settings[0] = 99 * time.Millisecond
	err := real.Refuse(p, "consul-session", real.Options{})
	if err == nil || !strings.Contains(err.Error(), "--scale of 0.1 or more") {
		t.Errorf("got %v", err)
	}
	p.Cluster("consul").Settings[0] = 100 * time.Millisecond
	if err := real.Refuse(p, "consul-session", real.Options{}); err != nil {
		t.Error(err)
	}
	if err := real.Refuse(p, "consul-session", real.Options{Backend: real.DockerBackend}); err == nil || !strings.Contains(err.Error(), "make consul") {
		t.Errorf("in containers: %v", err)
	}
}

// Without a Consul that has been built, its scenarios are left out.
func TestConsulIsLeftOutWhereNobodyHasBuiltIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if err := real.NotBuilt(quick("A"), "consul-session", real.Options{}); err == nil || err.Error() != "consul is not installed: make consul" {
		t.Errorf("got %v", err)
	}
	if err := real.NotBuilt(quick("A"), "etcd-mutex", real.Options{}); err != nil {
		t.Errorf("etcd: %v", err)
	}
}
