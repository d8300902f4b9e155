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

// Only the lock whose rows expire by the wall clock is lost.
func TestADatabasesClockJumps(t *testing.T) {
	t.Parallel()
	needServersOf(t, "mysql-unique")
	realtest.Need(t, programs.Faketime)
	for lock, want := range map[string]int{"mysql-unique-ttl": 1, "mysql-unique": 0} {
		p := quick("A", "B")
		p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
		fault(t, p, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, time.Hour, faults.End{})
		h := run(t, p, lock)
		if by := once(t, h, history.ClockChanged, "").Value; by != int64(time.Hour) {
			t.Errorf("%s: the clock changed by %v", lock, time.Duration(by))
		}
		wantOverlaps(t, h, want)
		for _, name := range p.Clients {
			wantEvents(t, h, 1, history.Acquired, name)
		}
	}
}

// On a clock that runs twice as fast from the beginning, entries last half as long as they should.
func TestAServersClockIsWrongFromTheBeginning(t *testing.T) {
	t.Parallel()
	realtest.Need(t, programs.Faketime)
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
	p.Clocks = []plan.Clock{{Node: "redis-1", DriftPPM: 1_000_000}}
	wantOverlaps(t, run(t, p, "set-nx-lua"), 1)
}

// Rows that last a second last half as long on a clock that runs twice as fast.
func TestADatabasesClockIsWrongFromTheBeginning(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	needServersOf(t, "mysql-unique-ttl")
	realtest.Need(t, programs.Faketime)
	p := quick("A", "B")
	p.Workload.Stagger = 300 * time.Millisecond
	p.Workload.Work = plan.Range{Min: 800 * time.Millisecond, Max: 800 * time.Millisecond}
	p.Clocks = []plan.Clock{{Node: "mysql-1", Offset: -time.Hour, DriftPPM: 1_000_000}}
	wantOverlaps(t, run(t, p, "mysql-unique-ttl"), 1)
}

// For the primary of the lock's shard A's lease is over. No node fails over.
func TestTheClockOfANodeOfAClusterJumps(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	realtest.Need(t, programs.Faketime)
	p := sharded("A", "B")
	p.Workload.Work = plan.Range{Min: 2 * time.Second, Max: 2 * time.Second}
	fault(t, p, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, time.Minute, faults.End{})
	h := run(t, p, "set-nx-lua")
	wantEvents(t, h, 1, history.ClockChanged, "redis-2")
	wantOverlaps(t, h, 1)
	wantEvents(t, h, 0, history.Promoted, "")
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
