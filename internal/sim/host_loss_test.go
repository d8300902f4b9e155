package sim

import (
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
)

// A crash and the loss of the host differ in how long B waits afterwards, except with a lease.
func TestTheLossOfAHostAndACrash(t *testing.T) {
	const session, lease = 20 * time.Second, 10 * time.Second
	tests := []struct {
		lock, fault   string
		least, below  time.Duration
		neverAcquired bool
	}{
		{"mysql-get-lock", "crash", 0, time.Second, false},
		{"mysql-get-lock", "lose-host", session - time.Second, session + time.Second, false},
		{"pg-advisory", "crash", 0, time.Second, false},
		{"pg-advisory", "lose-host", 0, 0, true}, // PostgreSQL ends no idle session by itself
		{"mysql-for-update", "crash", 0, time.Second, false},
		{"mysql-for-update", "lose-host", session - time.Second, session + time.Second, false},
		{"set-nx-lua", "crash", lease - time.Second, lease + time.Second, false},
		{"set-nx-lua", "lose-host", lease - time.Second, lease + time.Second, false},
		{"etcd-mutex", "lose-host", lease - time.Second, lease + 2*time.Second, false},
		{"zk-sequential", "lose-host", lease - time.Second, lease + 3*time.Second, false},
		{"consul-session", "lose-host", lease - time.Second, 4 * lease, false},
	}
	for _, tt := range tests {
		p := story(t, tt.lock, "workload={work: 5s, wait: up to 1m}", "when: A is in its critical section, "+tt.fault+": A")
		p.Database("mysql").IdleTimeout = session
		h := play(t, p)
		died, got := find(t, h, history.Crashed, "A").At.Duration(), instants(h, history.Acquired, "B", "")
		switch {
		case tt.neverAcquired:
			if len(got) > 0 {
				t.Errorf("%s after %s: B has the lock %v later", tt.lock, tt.fault, got[0]-died)
			}
		case len(got) == 0:
			t.Errorf("%s after %s: B never got the lock", tt.lock, tt.fault)
		default:
			if waited := got[0] - died; waited < tt.least || waited > tt.below {
				t.Errorf("%s after %s: B got the lock %v later, want %v to %v", tt.lock, tt.fault, waited, tt.least, tt.below)
			}
		}
	}
}

// A client that waits in the database when its host is lost is still granted the lock: the server
// does not notice the loss.
func TestALostHostIsStillGrantedTheLock(t *testing.T) {
	h := play(t, story(t, "mysql-get-lock", "clients=[B, A, C]", "servers.mysql.idle-timeout=7s",
		"when: A starts waiting, after: 100ms, lose-host: A"))
	granted := false
	died := find(t, h, history.Crashed, "A").At
	for _, e := range h.Events {
		granted = granted || e.Kind == history.Granted && h.Name(e.Owner) == "A" && e.At > died
	}
	if !granted {
		t.Error("A was not granted the lock for which it waited")
	}
	if got := find(t, h, history.Acquired, "C").At.Sub(died); got < 7*time.Second {
		t.Errorf("C has the lock %v after the loss, before the server can have ended A's session", got)
	}
}

// After a partition, the operating system of a dead process retransmits what it had sent; a lost
// host does not.
func TestALostHostRetransmitsNothing(t *testing.T) {
	for name, want := range map[string]bool{"crash": true, "lose-host": false} {
		h := play(t, story(t, "setnx", "when: A releases, partition: [A, store], for: 3s",
			"when: A releases, after: 500ms, "+name+": A")) // its DEL is under way
		arrived, healed := false, false
		for _, e := range h.Events {
			healed = healed || e.Kind == history.FaultEnded
			arrived = arrived || healed && e.Kind == history.Executed && h.Name(e.Peer) == "A"
		}
		must.Equalf(t, arrived, want, "after %s: A's DEL arrived after the partition", name)
	}
}

// A request that was sent before the host was lost is executed.
func TestALostHostsLastRequestArrives(t *testing.T) {
	h := play(t, story(t, "setnx", "when: A sends DEL, lose-host: A"))
	if removed := find(t, h, history.Removed, "redis-1"); h.Name(removed.Peer) != "A" || removed.At < find(t, h, history.Crashed, "A").At {
		t.Errorf("the entry was removed by %s at %v", h.Name(removed.Peer), removed.At)
	}
}
