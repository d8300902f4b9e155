package sim

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/chaos"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
)

// A server writes to its file before it replies, and the file outlives the process whether or not
// it has reached the disk. internal/real compares this with redis-server.
func TestAFileOutlivesItsProcess(t *testing.T) {
	crashed, forgotten, back := "redis-1 crashed", "redis-1 forgotten lock", "redis-1 restarted"
	for persistence, want := range map[string][]string{
		plan.PersistNone:        {crashed, forgotten, back},
		plan.PersistEverySecond: {crashed, back},
		plan.PersistAlways:      {crashed, back},
	} {
		t.Run(persistence, func(t *testing.T) {
			_, got := playEvents(t, story(t, "set-nx-lua", "servers.redis.persistence="+persistence, "workload.work=4s",
				"when: A enters, after: 100ms, restart: redis-1, down: 50ms"), // before any whole second
				history.Crashed, history.Forgotten, history.Restarted)
			expectLines(t, got, want...)
		})
	}
}

// A replica that gets a full copy rewrites its file, so deleted entries do not come back with its
// next restart.
func TestAResynchronizationRewritesTheFile(t *testing.T) {
	_, got := playEvents(t, story(t, "set-nx-lua", "clients=[A]", "servers.redis={replicas: 1, persistence: everysec}",
		"workload={work: 5s, repeat: 2 times, rest: 25s, wait: up to 30s}",
		"at: 2s, restart: redis-2, down: 8s", // A releases meanwhile
		"at: 20s, restart: redis-2, down: 1s"), history.Crashed, history.Forgotten, history.Restarted)
	crashed, back := "redis-2 crashed", "redis-2 restarted"
	expectLines(t, got, crashed, back, "redis-2 forgotten lock", crashed, back)
}

// Restarting a program does not correct the clock of its machine.
func TestAWrongClockOutlivesItsProgram(t *testing.T) {
	const ahead = 3 * time.Second
	h := play(t, story(t, "set-nx-lua", "when: A enters, jump-clock: A, by: +3s",
		"when: A enters, after: 100ms, restart: A, down: 50ms"))
	restarted := find(t, h, history.Restarted, "A").At
	seen := 0
	for _, e := range h.Events {
		if h.Name(e.Node) != "A" || e.At < restarted || e.Kind == history.FaultBegan {
			continue
		}
		seen++
		must.Equalf(t, time.Duration(e.Clock-int64(e.At)), ahead,
			"at %v, %v: A's clock is … ahead", e.At, e.Kind)
	}
	if seen < 3 {
		t.Errorf("%d events of A's second life", seen)
	}
}

// A restarted client draws new tokens. With its old token it could release the entry of its former
// life.
func TestARestartedClientHasNewTokens(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "lease=500ms", "when: A is in its critical section, restart: A, down: 50ms"))
	restarted := find(t, h, history.Restarted, "A").At
	before, after := map[string]bool{}, 0
	for _, e := range h.Events {
		text := h.Text(e.Text)
		if h.Name(e.Node) != "A" || e.Kind != history.Sent || !strings.HasPrefix(text, "SET ") {
			continue
		}
		if e.At < restarted {
			before[text] = true
			continue
		}
		after++
		if before[text] {
			t.Errorf("%s was sent in both lives", text)
		}
	}
	if len(before) == 0 || after == 0 {
		t.Errorf("%d and %d commands in the two lives", len(before), after)
	}
}

// A lease keeps running while its server is paused, and expires at the thaw even if no request
// arrives.
func TestALeaseEndsWhileItsServerIsPaused(t *testing.T) {
	h, got := playEvents(t, story(t, "set-nx-lua", "clients=[A]", "workload.work=20s",
		"when: A is in its critical section, pause: redis-1, for: 12s"), history.Froze, history.Thawed, history.Expired)
	expectLines(t, got, "redis-1 froze", "redis-1 thawed", "redis-1 expired lock")
	if thawed, expired := find(t, h, history.Thawed, "redis-1").At, find(t, h, history.Expired, "redis-1").At; expired != thawed {
		t.Errorf("the lease ended at %v, want the thaw at %v", expired, thawed)
	}
}

// A crash and the loss of the host differ in how long B waits afterwards, except with a lease.
func TestTheLossOfAHostAndACrash(t *testing.T) {
	const session, lease = 20 * time.Second, 10 * time.Second
	for _, tt := range []struct {
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
	} {
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

// Repeated or drawn failovers may leave no server that can lead. The run then ends, and its history
// says why; otherwise it goes on.
func TestARunEndsWhenNoServerIsLeft(t *testing.T) {
	const head = "scenario: again and again\nclients: [A, B]\nworkload: {repeat: 40 times}\n"
	for name, tt := range map[string]struct {
		story string
		lock  string
		dead  int // servers when the run ends; 0: it is played to its end
	}{
		"every 20 s":      {"locks: [set-nx-lua]\nservers: {redis: {replicas: 1}}\nfaults: [{every: 20s, fail-over: operator}]\n", "set-nx-lua", 2},
		"at random":       {"locks: [set-nx-lua]\nservers: {redis: {replicas: 2}}\nfaults: [{every: 20s..21s, fail-over: operator}]\n", "set-nx-lua", 3},
		"with sentinels":  {"locks: [set-nx-lua]\nservers: {redis: {replicas: 1}}\nfaults: [{every: 20s, fail-over: sentinel}]\n", "set-nx-lua", 2},
		"a majority":      {"locks: [etcd-mutex]\nfaults: [{every: 20s, fail-over: operator}]\n", "etcd-mutex", 2},
		"a database":      {"locks: [mysql-unique-ttl]\nservers: {mysql: {replicas: 1}}\nfaults: [{every: 20s, fail-over: operator}]\n", "mysql-unique-ttl", 2},
		"it comes back":   {"locks: [set-nx-lua]\nservers: {redis: {replicas: 1}}\nfaults: [{every: 90s, fail-over: operator}, {every: 40s, restart: redis-1}]\n", "set-nx-lua", 0},
		"enough are left": {"locks: [set-nx-lua]\nservers: {redis: {replicas: 10}}\nfaults: [{every: 60s, fail-over: operator}]\n", "set-nx-lua", 0},
	} {
		p := scenariotest.Parse(t, "", head+tt.story)
		h, err := Run(chaos.Draw(p, 1), tt.lock, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		crashed, why := count(h, history.Crashed, ""), h.WhyCutShort()
		switch {
		case tt.dead == 0 && (why != "" || !h.Whole):
			t.Errorf("%s: cut short: %s", name, why)
		case tt.dead > 0 && (!strings.Contains(why, "has left no server that could lead") || crashed != tt.dead):
			t.Errorf("%s: %d servers died, want %d, and it was cut short because of %q", name, crashed, tt.dead, why)
		case tt.dead > 0 && h.Events[len(h.Events)-2].Kind != history.Crashed:
			t.Errorf("%s: it goes on after the last server has died, with %v", name, h.Events[len(h.Events)-2].Kind)
		}
	}
}
