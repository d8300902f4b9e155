package sim

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
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
			at := first(faults.Enters)
			at.After = 100 * time.Millisecond // before any whole second
			p := story(restartOf(1, "redis-1", 50*time.Millisecond, at))
			p.Redis.Persistence = persistence
			p.Workload.Work = plan.Range{Min: 4 * time.Second, Max: 4 * time.Second}
			_, got := tell(t, p, "set-nx-lua", history.Crashed, history.Forgotten, history.Restarted)
			expectLines(t, got, want...)
		})
	}
}

// A replica that gets a full copy rewrites its file, so deleted entries do not come back with its
// next restart.
func TestAResynchronizationRewritesTheFile(t *testing.T) {
	p := alone(5*time.Second,
		restartOf(1, "redis-2", 8*time.Second, at(2*time.Second)), // A releases meanwhile
		restartOf(2, "redis-2", time.Second, at(20*time.Second)))
	p.Redis.Replicas, p.Redis.Persistence = 1, plan.PersistEverySecond
	p.Workload.Repeat, p.Workload.Rest = 2, plan.Range{Min: 25 * time.Second, Max: 25 * time.Second}
	_, got := tell(t, p, "set-nx-lua", history.Crashed, history.Forgotten, history.Restarted)
	crashed, back := "redis-2 crashed", "redis-2 restarted"
	expectLines(t, got, crashed, back, "redis-2 forgotten lock", crashed, back)
}

// Restarting a program does not correct the clock of its machine.
func TestAWrongClockOutlivesItsProgram(t *testing.T) {
	const ahead = 3 * time.Second
	at := first(faults.Enters)
	later := at
	later.After = 100 * time.Millisecond
	p := story(lasting("jump-clock", 1, "A", ahead, at, faults.End{}))
	p.Faults = append(p.Faults, restartOf(2, "A", 50*time.Millisecond, later))
	h := play(t, &p, "set-nx-lua", 1)
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
	at := first(faults.InSection)
	p := story(restartOf(1, "A", 50*time.Millisecond, at))
	p.Lease = 500 * time.Millisecond
	h := play(t, &p, "set-nx-lua", 1)
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
	p := story(verb("pause", 1, "redis-1", first(faults.InSection), faults.End{For: 12 * time.Second}))
	p.Clients, p.Lease = []string{"A"}, 10*time.Second
	p.Workload.Work = plan.Range{Min: 20 * time.Second, Max: 20 * time.Second}
	h, got := tell(t, p, "set-nx-lua", history.Froze, history.Thawed, history.Expired)
	expectLines(t, got, "redis-1 froze", "redis-1 thawed", "redis-1 expired lock")
	if thawed, expired := find(t, h, history.Thawed, "redis-1").At, find(t, h, history.Expired, "redis-1").At; expired != thawed {
		t.Errorf("the lease ended at %v, want the thaw at %v", expired, thawed)
	}
}
