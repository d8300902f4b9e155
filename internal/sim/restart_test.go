package sim

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
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
			_, got := tell(t, story(t, "set-nx-lua", "servers.redis.persistence="+persistence, "workload.work=4s",
				"when: A enters, after: 100ms, restart: redis-1, down: 50ms"), // before any whole second
				history.Crashed, history.Forgotten, history.Restarted)
			expectLines(t, got, want...)
		})
	}
}

// A replica that gets a full copy rewrites its file, so deleted entries do not come back with its
// next restart.
func TestAResynchronizationRewritesTheFile(t *testing.T) {
	_, got := tell(t, story(t, "set-nx-lua", "clients=[A]", "servers.redis={replicas: 1, persistence: everysec}",
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
		if got := time.Duration(e.Clock - int64(e.At)); got != ahead {
			t.Errorf("at %v, %v: A's clock is %v ahead, want %v", e.At, e.Kind, got, ahead)
		}
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
	h, got := tell(t, story(t, "set-nx-lua", "clients=[A]", "workload.work=20s",
		"when: A is in its critical section, pause: redis-1, for: 12s"), history.Froze, history.Thawed, history.Expired)
	expectLines(t, got, "redis-1 froze", "redis-1 thawed", "redis-1 expired lock")
	if thawed, expired := find(t, h, history.Thawed, "redis-1").At, find(t, h, history.Expired, "redis-1").At; expired != thawed {
		t.Errorf("the lease ended at %v, want the thaw at %v", expired, thawed)
	}
}
