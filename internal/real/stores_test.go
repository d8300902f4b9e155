package real_test

import (
	"maps"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
	"lockstep/internal/sim"
	"lockstep/internal/store"
	"lockstep/internal/store/consul"
	"lockstep/internal/store/etcd"
	"lockstep/internal/store/zookeeper"
)

// played is a lock of a store other than Redis.
type played struct {
	lock    string
	nodes   int    // of a cluster
	take    string // the command that takes the lock
	session bool   // the lock ends only with the connection
	lasts   bool   // the lock never expires
	delay   bool   // after an expiry other clients are locked out for longer than the lease
	again   bool   // another lock of its topology tests the same: it belongs to the second tier
}

var stores = []played{
	{lock: "etcd-txn", nodes: 1, take: "TXN", again: true},
	{lock: "etcd-mutex", nodes: 3, take: "TXN"},
	{lock: "zk-ephemeral", nodes: 1, take: "CREATE"},
	{lock: "zk-sequential", nodes: 3, take: "CREATE", again: true},
	{lock: "mysql-unique", take: "INSERT", lasts: true, again: true},
	{lock: "mysql-unique-ttl", take: "INSERT"},
	{lock: "mysql-get-lock", take: "GET_LOCK", session: true, again: true},
	{lock: "pg-advisory", take: "PG_ADVISORY_LOCK", session: true},
	{lock: "consul-session", nodes: 1, take: "ACQUIRE", delay: true},
	{lock: "consul-session", nodes: 3, take: "ACQUIRE", delay: true},
}

// onePerWire is one lock of each protocol, on one server.
var onePerWire = first(stores[0], stores[2], stores[5], stores[6], stores[7], stores[8])

// first puts locks into the first tier.
func first(some ...played) []played {
	for i := range some {
		some[i].again = false
	}
	return some
}

// each plays with each store, in parallel.
func each(t *testing.T, stores []played, play func(*testing.T, played)) {
	for _, s := range stores {
		t.Run(s.lock, func(t *testing.T) {
			if s.again {
				realtest.SecondTier(t)
			}
			needServersOf(t, s.lock)
			t.Parallel()
			play(t, s)
		})
	}
}

// story is quick for the store's lock. A is first, even if it has to open a session.
func (s played) story(t *testing.T, more ...string) *plan.Plan {
	t.Helper()
	p := quick(t, s.lock, append([]string{"workload.wait=up to 10s", "workload.stagger=300ms"}, more...)...)
	ofNodes(p, s.nodes)
	return p
}

// ofNodes sets up clusters of a plan: they have that many nodes, one for 0.
func ofNodes(p *plan.Plan, nodes int) {
	for _, id := range []store.ID{etcd.ID, zookeeper.ID, consul.ID} {
		p.Cluster(id).Nodes = max(nodes, 1)
	}
	p.Cluster(consul.ID).Settings[0] = 100 * time.Millisecond // for sessions of one second
	p.Cluster(etcd.ID).Election = 100 * time.Millisecond      // for a lease of one second
}

func TestEachStoreGivesItsLockToOneAtATime(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, s played) {
		p := s.story(t, "workload.repeat=3 times")
		h := run(t, p)
		wantOverlaps(t, h, 0)
		for _, name := range p.Clients {
			wantEvents(t, h, 3, history.Acquired, name)
		}
		wantEvents(t, h, 7, history.Granted, "")
		for _, e := range find(h, history.Removed, "") {
			must.Equalf(t, e.Peer, e.Owner,
				"%s removed %s's entry", h.Name(e.Peer), h.Name(e.Owner))
		}
		wantSome(t, h, history.Removed, "")
		simulated := must.Get(sim.Run(p, s.lock, 1))(t)
		if got, want := firstAsked(h), firstAsked(simulated); !maps.Equal(got, want) {
			t.Errorf("the clients begin at %v, in the simulator at %v", got, want)
		}
	})
}

// firstAsked returns the server that each client asks first.
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
	each(t, stores, func(t *testing.T, s played) {
		want, end := 1, "until: B acquires" // a busy server may end the lease late
		if s.session || s.lasts || s.delay {
			want, end = 0, "for: 2500ms"
		}
		h := run(t, s.story(t, "workload.repeat=2 times", // B wants the lock while A sleeps, in either order
			inSection+"pause: A, "+end))
		must.Equalf(t, min(overlaps(h), 1), want, "overlaps")
		wantEvents(t, h, 2, history.Acquired, "B")
	})
}

// Real servers replace a silent leader of ZooKeeper no earlier than the model does.
func TestASilentLeaderOfZooKeeperIsGivenTime(t *testing.T) {
	t.Parallel()
	each(t, []played{stores[3]}, func(t *testing.T, s played) {
		p := s.story(t, "workload.work=5s", inSection+"partition: [zk-1, [zk-2, zk-3]], for: 4s")
		h := run(t, p)
		began, promoted := once(t, h, history.FaultBegan, ""), find(h, history.Promoted, "")
		if len(promoted) == 0 {
			t.Fatal("no election")
		}
		v, _ := p.Lock(s.lock)
		tick := zookeeper.Tick(p.SettingsOf(plan.StoreOf(&v).Store))
		if silent := promoted[0].At.Sub(began.At); silent < zookeeper.SyncLimit*tick {
			t.Errorf("another one led after %v, with ticks of %v", silent, tick)
		}
	})
}

// The lock of a dead client is free at once if it is a session and the machine lives, at the end of
// a lease, and never if it is a row.
func TestAClientDiesInEachStore(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"crash", "lose-host"} {
		t.Run(verb, func(t *testing.T) {
			each(t, stores, func(t *testing.T, s played) {
				if verb == "lose-host" && !s.session { // a lease ends by time, as after a crash
					realtest.SecondTier(t)
				}
				wait := "4s"
				if s.delay {
					wait = "10s"
				}
				h := run(t, s.story(t, "workload.wait=up to "+wait, inSection+verb+": A"))
				want := 1
				if s.lasts || s.session && verb == "lose-host" {
					want = 0
				}
				crashed := once(t, h, history.Crashed, "A")
				if want == 0 {
					wantEvents(t, h, 0, history.Acquired, "B")
					return
				}
				after := once(t, h, history.Acquired, "B").At.Sub(crashed.At)
				if s.session && after > 900*time.Millisecond || !s.session && after < 500*time.Millisecond {
					t.Errorf("B acquired %v after the crash: a session ends with its connection, a lease by time", after)
				}
			})
		})
	}
}

// Servers that end idle sessions free the lock of a lost host.
func TestAnIdleSessionOfALostHostEnds(t *testing.T) {
	t.Parallel()
	for _, s := range stores {
		if !s.session {
			continue
		}
		each(t, []played{s}, func(t *testing.T, s played) {
			p := s.story(t, inSection+"lose-host: A")
			p.Database("mysql").IdleTimeout, p.Database("postgres").IdleTimeout = 2*time.Second, 2*time.Second
			h := run(t, p)
			crashed, acquired := once(t, h, history.Crashed, "A"), once(t, h, history.Acquired, "B")
			if after := acquired.At.Sub(crashed.At); after < time.Second {
				t.Errorf("B acquired %v after the loss, before A's session can have been idle for long enough", after)
			}
		})
	}
}

func TestAPartitionInEachStore(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, s played) {
		h := run(t, s.story(t, "workload.work=200ms", inSection+"partition: [A, store], for: 3s"))
		began, ended := once(t, h, history.FaultBegan, ""), once(t, h, history.FaultEnded, "")
		for _, e := range find(h, history.Replied, "A") {
			if e.At > began.At.Add(20*time.Millisecond) && e.At < ended.At {
				t.Errorf("A has an answer at %v, within the partition: %s", e.At, h.Text(e.Text))
			}
		}
		acquired := once(t, h, history.Acquired, "B")
		if waits := s.session || s.lasts || s.delay; waits == (acquired.At < ended.At) {
			t.Errorf("B acquired at %v, the partition ended at %v", acquired.At, ended.At)
		}
	})
}

// The store executes the request, and the client gets no reply.
func TestALostReplyInEachStore(t *testing.T) {
	t.Parallel()
	each(t, onePerWire, func(t *testing.T, s played) {
		if s.take == "CREATE" { // the client's own entry keeps all others out until the probe gives up
			realtest.SecondTier(t)
		}
		h := run(t, s.story(t, "workload.wait=up to 4s", "when: A has "+s.take+" executed, drop: reply"))
		once(t, h, history.ReplyDropped, "")
		wantSome(t, h, history.TimedOut, "A")
		wantOverlaps(t, h, 0)
	})
}

func TestALostRequestInEachStore(t *testing.T) {
	t.Parallel()
	each(t, onePerWire, func(t *testing.T, s played) {
		h := run(t, s.story(t, "workload.wait=up to 4s", "when: A is about to send "+s.take+", drop: request"))
		once(t, h, history.RequestDropped, "A")
		wantSome(t, h, history.TimedOut, "A")
		if at := once(t, h, history.Acquired, "B").At.Duration(); at > 1100*time.Millisecond {
			t.Errorf("B acquired at %v, not at once: A's request has arrived", at)
		}
	})
}

func TestAMomentOnTheWireOfEachStore(t *testing.T) {
	t.Parallel()
	each(t, onePerWire, func(t *testing.T, s played) {
		h := run(t, s.story(t, "network.timeout=2s", "when: A has "+s.take+" executed, pause: A, for: 200ms"))
		froze, thawed := once(t, h, history.Froze, "A"), once(t, h, history.Thawed, "A")
		for _, e := range find(h, history.Replied, "A") {
			if e.At > froze.At && e.At < thawed.At {
				t.Errorf("A has an answer while it is stopped: %s", h.Text(e.Text))
			}
		}
		if acquired := once(t, h, history.Acquired, "A"); acquired.At < thawed.At {
			t.Error("A acquired before the end of its pause")
		}
	})
}

func TestAServerIsStartedAgainInEachStore(t *testing.T) {
	t.Parallel()
	each(t, stores, func(t *testing.T, s played) {
		h := run(t, s.story(t, "workload.work=400ms", inSection+"restart: the primary, down: 50ms"))
		wantEvents(t, h, 1, history.Crashed, "")
		wantEvents(t, h, 1, history.Restarted, "")
		if s.lasts {
			return // a release while the server is down leaves the row for ever
		}
		wantEvents(t, h, 1, history.Acquired, "probe")
	})
}

func TestTheLeaderOfAClusterDies(t *testing.T) {
	t.Parallel()
	each(t, []played{stores[1], stores[3], stores[9]}, func(t *testing.T, s played) {
		h := run(t, s.story(t, "workload.repeat=2 times", inSection+"crash: the primary"))
		once(t, h, history.Crashed, "")
		promoted := find(h, history.Promoted, "")
		if len(promoted) == 0 {
			t.Fatal("no new leader")
		}
		// An election may take longer than a client waits.
		all := find(h, history.Acquired, "")
		if len(all) == 0 || all[len(all)-1].At < promoted[0].At {
			t.Error("no client acquired under the new leader")
		}
		wantOverlaps(t, h, 0)
	})
}

// An operator ends A's session or removes its row while A works. The lock delay of Consul keeps B
// out for a while.
func TestAnOperatorEndsTheHoldersSession(t *testing.T) {
	t.Parallel()
	evictable := []played{stores[0], stores[1], stores[4], stores[5], stores[6], stores[7], stores[8]}
	each(t, evictable, func(t *testing.T, s played) {
		p := s.story(t, "workload.work=900ms", inSection+"evict: lock")
		h := run(t, p)
		acquired := once(t, h, history.Acquired, "B").At
		if s.delay {
			if acquired.Sub(once(t, h, history.FaultBegan, "").At) < 15*p.Cluster("consul").Settings[0] {
				t.Error("B acquired before the end of the lock delay")
			}
			wantEvents(t, h, 1, history.NotHeld, "A")
			wantOverlaps(t, h, 0)
		} else if at := acquired.Duration(); at > 800*time.Millisecond {
			t.Errorf("B acquired at %v, not while A worked", at)
		}
		evicted := 0
		for _, e := range find(h, history.Removed, "") {
			if e.Peer == 0 && h.Name(e.Owner) == "A" {
				evicted++
			}
		}
		must.Equalf(t, evicted, 1, "A's entry was removed without a client … times")
	})
}

// Without a Consul that has been built, its scenarios are left out.
func TestConsulIsLeftOutUnlessItIsBuilt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if err := real.NotBuilt(quick(t, "consul-session"), "consul-session", real.Options{}); err == nil || err.Error() != "consul is not installed: make consul" {
		t.Errorf("got %v", err)
	}
	if err := real.NotBuilt(quick(t, "etcd-mutex"), "etcd-mutex", real.Options{}); err != nil {
		t.Errorf("etcd: %v", err)
	}
}
