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
func TestADatabasesClockJumps(t *testing.T) {
	t.Parallel()
	realtest.Need(t, "mariadbd")
	realtest.Need(t, programs.Faketime)
	for lock, want := range map[string]int{"mysql-unique-ttl": 1, "mysql-unique": 0} {
		p := quick("A", "B")
		p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
		fault(t, p, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, time.Hour, faults.End{})
		h := run(t, p, lock)
		if changed := find(h, history.ClockChanged, ""); len(changed) != 1 || changed[0].Value != int64(time.Hour) {
			t.Errorf("%s: %d clocks changed", lock, len(changed))
		}
		if got := overlaps(h); got != want {
			t.Errorf("%s: %d overlaps, want %d", lock, got, want)
		}
		for _, name := range p.Clients {
			if len(find(h, history.Acquired, name)) != 1 {
				t.Errorf("%s: %s did not acquire once", lock, name)
			}
		}
	}
}

// Clients begin a fifth of a second apart on the wrong clock of the server that the
// plan gives it: entries last half as long as they should.
func TestAServersClockIsWrongFromTheBeginning(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	realtest.SecondTier(t)
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
	t.Parallel()
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

// Whether a plan gives a server a wrong clock or a fault does is the same.
func TestWhatOfClocksIsRefused(t *testing.T) {
	const (
		monotonic = ": its leases rest on the monotonic clock, which no step of the wall clock reaches"
		sessions  = ": its locks last as long as their sessions"
	)
	for _, tt := range []struct{ lock, node, backend, want string }{
		{"etcd-txn", "etcd-1", "", monotonic},
		{"etcd-txn", "etcd-1", real.DockerBackend, monotonic},
		{"zk-ephemeral", "zk-1", "", monotonic},
		{"consul-session", "consul-1", "", monotonic},
		{"pg-advisory", "postgres-1", "", sessions},
		{"set-nx-lua", "sentinel-2", "", ": no lease rests on the clock of a sentinel"},
		{"mysql-unique-ttl", "mysql-1", real.DockerBackend, " cannot be set in a container"},
		{"mysql-unique-ttl", "mysql-1", "", ""},
		{"set-nx-lua", "redis-1", "", ""},
		{"set-nx-lua", "redis-1", real.DockerBackend, ""},
	} {
		drifts, jumps := watched(1, "A", "B"), watched(1, "A", "B")
		drifts.Clocks = []plan.Clock{{Node: tt.node, DriftPPM: 5}}
		fault(t, jumps, when(faults.InSection, "A", ""), "jump-clock", tt.node, time.Second, faults.End{})
		for how, p := range map[string]*plan.Plan{"drifts": drifts, "jumps": jumps} {
			p.Cluster("consul").Settings[0] = time.Second
			err := real.Refuse(p, tt.lock, real.Options{Backend: tt.backend})
			want := "the clock of " + tt.node + tt.want
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
				t.Errorf("%s %s on %q: %v, want %q", tt.node, how, tt.backend, err, want)
			}
		}
	}
}
