package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/programs"
	"lockstep/internal/real/realtest"
)

// Only the lock whose rows say until when they count by the wall clock loses anything.
func TestAServersClockJumpsInEachStore(t *testing.T) {
	eachBeside(t, stores, func(t *testing.T, p *plan.Plan, s played) {
		want := 0
		if strings.HasPrefix(s.lock, "mysql") {
			realtest.Need(t, programs.Faketime)
		}
		if s.lock == "mysql-unique-ttl" {
			want = 1
		}
		p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
		fault(t, p, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, time.Hour, faults.End{})
		h := runBeside(t, p, s.lock)
		if changed := find(h, history.ClockChanged, ""); len(changed) != 1 || changed[0].Value != int64(time.Hour) {
			t.Errorf("%d clocks changed", len(changed))
		}
		if got := overlaps(h); got != want {
			t.Errorf("%d overlaps, want %d", got, want)
		}
		for _, name := range p.Clients {
			if len(find(h, history.Acquired, name)) != 1 {
				t.Errorf("%s did not acquire once", name)
			}
		}
	})
}

// Clients begin a fifth of a second apart on the wrong clock of the server that the
// plan gives it: entries last half as long as they should.
func TestAServersClockIsWrongFromTheBeginning(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
	p.Clocks = []plan.Clock{{Node: "redis-1", DriftPPM: 1_000_000}}
	if h := run(t, p, "set-nx-lua"); overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
}

// Rows that last a second last half as long on a clock that runs twice as fast.
func TestADatabasesClockIsWrongFromTheBeginning(t *testing.T) {
	realtest.Need(t, "mariadbd")
	realtest.Need(t, programs.Faketime)
	p := quick("A", "B")
	p.Workload.Stagger = 300 * time.Millisecond
	p.Workload.Work = plan.Range{Min: 800 * time.Millisecond, Max: 800 * time.Millisecond}
	p.Clocks = []plan.Clock{{Node: "mysql-1", Offset: -time.Hour, DriftPPM: 1_000_000}}
	if h := run(t, p, "mysql-unique-ttl"); overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
}

// The primary of the lock's shard finds A's lease over. The nodes go on with each other.
func TestTheClockOfANodeOfAClusterJumps(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	p := sharded("A", "B")
	p.Workload.Work = plan.Range{Min: 2 * time.Second, Max: 2 * time.Second}
	fault(t, p, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, time.Minute, faults.End{})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.ClockChanged, "redis-2")) != 1 || overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
	if n := len(find(h, history.Promoted, "")); n != 0 {
		t.Errorf("%d promotions, want none", n)
	}
}

// A sentinel whose clock jumps trusts its clock no more, and promotes nobody for half a
// minute of its own, which is three seconds here. One of three is too few for that to
// matter, two are not.
func TestTheClocksOfSentinelsJump(t *testing.T) {
	realtest.Need(t, programs.Faketime)
	check := clean(t)
	promotedAfter := func(sentinels ...string) time.Duration {
		p := watched(1, "A", "B")
		for _, name := range sentinels {
			fault(t, p, when(faults.InSection, "A", ""), "jump-clock", name, time.Hour, faults.End{})
		}
		later := when(faults.InSection, "A", "")
		later.After = 300 * time.Millisecond // a sentinel looks ten times per second of the host's
		fault(t, p, later, "crash", "redis-1", 0, faults.End{})
		h := runScaled(t, p, "set-nx-lua", real.Options{ScalePPM: 100_000})
		crashed, promoted := find(h, history.Crashed, "redis-1"), find(h, history.Promoted, "")
		if len(crashed) != 1 || len(promoted) != 1 {
			t.Fatalf("%d clocks: %d crashes and %d promotions", len(sentinels), len(crashed), len(promoted))
		}
		return promoted[0].At.Sub(crashed[0].At)
	}
	two := promotedAfter("sentinel-1", "sentinel-2")
	one := promotedAfter("sentinel-1")
	for range 4 { // a vote that is split is held again after seconds
		if one < two {
			break
		}
		one = promotedAfter("sentinel-1")
	}
	check()
	if two < 2*time.Second || one >= two {
		t.Errorf("promoted after %v with one wrong clock, %v with two", one, two)
	}
}

func TestWhatOfClocksIsRefused(t *testing.T) {
	clock := plan.Clock{Offset: time.Second}
	drifting := plan.Clock{DriftPPM: 5}
	for _, tt := range []struct {
		lock, node string
		clock      plan.Clock
		backend    string
		want       string
	}{
		{"etcd-txn", "etcd-1", drifting, "", "the clock of etcd-1: its leases rest on the monotonic clock"},
		{"zk-ephemeral", "zk-1", drifting, "", "the clock of zk-1: its leases rest on the monotonic clock"},
		{"etcd-txn", "etcd-1", clock, real.DockerBackend, "the clock of etcd-1 cannot be set in a container"},
		{"mysql-unique-ttl", "mysql-1", clock, real.DockerBackend, "the clock of mysql-1 cannot be set in a container"},
		{"set-nx-lua", "sentinel-2", clock, real.DockerBackend, "the clock of sentinel-2 cannot be set in a container"},
		{"etcd-txn", "etcd-1", clock, "", ""},
		{"pg-advisory", "postgres-1", drifting, "", ""},
		{"set-nx-lua", "sentinel-2", drifting, "", ""},
	} {
		p := watched(1, "A", "B")
		tt.clock.Node = tt.node
		p.Clocks = []plan.Clock{tt.clock}
		err := real.Refuse(p, tt.lock, real.Options{Backend: tt.backend})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s on %s: %v, want %q", tt.lock, tt.node, err, tt.want)
		}
	}
}
