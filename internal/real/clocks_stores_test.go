package real_test

import (
	"strings"
	"testing"
	"time"

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
		p := quick(t, lock, "workload.work=700ms", inSection+"jump-clock: the primary, by: +1h")
		h := run(t, p)
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
	p := quick(t, "set-nx-lua", "workload.work=700ms")
	p.Clocks = []plan.Clock{{Node: "redis-1", DriftPPM: 1_000_000}} // more than a file may say
	wantOverlaps(t, run(t, p), 1)
}

// Rows that last a second last half as long on a clock that runs twice as fast.
func TestADatabasesClockIsWrongFromTheBeginning(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	needServersOf(t, "mysql-unique-ttl")
	realtest.Need(t, programs.Faketime)
	p := quick(t, "mysql-unique-ttl", "workload.stagger=300ms", "workload.work=800ms")
	p.Clocks = []plan.Clock{{Node: "mysql-1", Offset: -time.Hour, DriftPPM: 1_000_000}}
	wantOverlaps(t, run(t, p), 1)
}

// For the primary of the lock's shard A's lease is over. No node fails over.
func TestTheClockOfANodeOfAClusterJumps(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	realtest.Need(t, programs.Faketime)
	h := run(t, sharded(t, "workload.work=2s", inSection+"jump-clock: the primary, by: +1m"))
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
		{"set-nx-lua", "sentinel-2", "", ": no lease depends on the clock of a sentinel"},
		{"mysql-unique-ttl", "mysql-1", real.DockerBackend, " cannot be set in a container"},
		{"mysql-unique-ttl", "mysql-1", "", ""},
		{"set-nx-lua", "redis-1", "", ""},
		{"set-nx-lua", "redis-1", real.DockerBackend, ""},
	} {
		drifts, jumps := watched(t, "set-nx-lua", 1), watched(t, "set-nx-lua", 1, inSection+"jump-clock: the primary, by: +1s")
		drifts.Clocks, jumps.Faults[0].Target = []plan.Clock{{Node: tt.node, DriftPPM: 5}}, tt.node
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
