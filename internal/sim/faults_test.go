package sim

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
)

// story is a small plan with two clients.
var story = scenariotest.Story

// play plays a plan with its first lock.
func play(t *testing.T, p *plan.Plan) *history.History {
	t.Helper()
	return must.Get(Run(p, p.Locks[0], 1))(t)
}

// tell plays a plan and returns the events of some kinds before the final quiet
// period, one per line.
func tell(t *testing.T, p *plan.Plan, kinds ...history.Kind) (*history.History, []string) {
	t.Helper()
	h := play(t, p)
	var lines []string
	for _, e := range h.Events {
		if e.Kind == history.Healed {
			break // the rest is the probe's
		}
		for _, k := range kinds {
			if e.Kind == k {
				lines = append(lines, strings.TrimSpace(h.Name(e.Node)+" "+k.String()+" "+h.Text(e.Text)))
			}
		}
	}
	return h, lines
}

func expectLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	must.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// find returns the first event of a kind on a node.
func find(t *testing.T, h *history.History, kind history.Kind, node string) history.Event {
	t.Helper()
	for _, e := range h.Events {
		if e.Kind == kind && h.Name(e.Node) == node {
			return e
		}
	}
	t.Fatalf("no %v on %s", kind, node)
	return history.Event{}
}

// count returns how many events of a kind there are on a node, or on all nodes for "".
func count(h *history.History, kind history.Kind, node string) (n int) {
	for _, e := range h.Events {
		if e.Kind == kind && (node == "" || h.Name(e.Node) == node) {
			n++
		}
	}
	return n
}

func TestDroppedReplyMeansExecutedAndUnknown(t *testing.T) {
	h, got := tell(t, story(t, "set-nx-lua", "when: A sends SET, drop: reply"),
		history.ReplyDropped, history.AcquireFailed, history.Granted)
	expectLines(t, got,
		"redis-1 granted lock", // A's, although A does not know
		"redis-1 reply-dropped",
		"A acquire-failed no reply within the response timeout",
		"redis-1 granted lock",
		"redis-1 granted lock")
	failed := find(t, h, history.AcquireFailed, "A")
	if d := failed.At.Duration(); d < plan.DefaultTimeout || d > plan.DefaultTimeout+100*time.Millisecond {
		t.Errorf("A learns of it at %v, the response timeout is %v", d, plan.DefaultTimeout)
	}
}

func TestDelayedReplyArrivesLate(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "when: A sends SET, delay: reply, by: 2s"))
	granted, acquired := find(t, h, history.Granted, "redis-1"), find(t, h, history.Acquired, "A")
	if late := acquired.At.Sub(granted.At); late < 2*time.Second || late > 2*time.Second+2*time.Millisecond {
		t.Errorf("the reply took %v", late)
	}
}

func TestFrozenClientKeepsItsSocketsAndLosesItsTime(t *testing.T) {
	h, got := tell(t, story(t, "set-nx-lua", "when: A sends SET, pause: A, for: 2s"),
		history.Froze, history.Thawed, history.Granted, history.TimedOut)
	expectLines(t, got,
		"A froze", "redis-1 granted lock", "A thawed", // the request was on its way, the reply waits
		"redis-1 granted lock")
	if a, thawed := find(t, h, history.Acquired, "A"), find(t, h, history.Thawed, "A"); a.At != thawed.At {
		t.Errorf("A acquires at %v, it thawed at %v", a.At, thawed.At)
	}
}

func TestCrashedClientDoesNothingMore(t *testing.T) {
	h, got := tell(t, story(t, "setnx", "when: A is in its critical section, crash: A"),
		history.Crashed, history.Releasing, history.WriteAccepted, history.GaveUp)
	expectLines(t, got, "A crashed", "B gave-up")
	crashed := false
	for _, e := range h.Events {
		if crashed && h.Name(e.Node) == "A" {
			t.Errorf("a dead client: %v at %v", e.Kind, e.At)
		}
		crashed = crashed || e.Kind == history.Crashed
	}
	if j := checker.Judge(h); j.Letter != checker.LetterStuck {
		t.Errorf("outcome %s, want D: a key without expiry outlives its owner", j.Letter)
	}
}

func TestSlowWorkLeavesTheWatchdogAlone(t *testing.T) {
	h, got := tell(t, story(t, "watchdog-lua", "when: A enters, slow: A, by: 15s"), history.Extended, history.Expired)
	if len(got) < 4 || strings.Contains(strings.Join(got, " "), "expired") {
		t.Errorf("16 s of work with a lease of 10 s: %v", got)
	}
	if j := checker.Judge(h); j.Letter != checker.LetterSafe {
		t.Errorf("outcome %s, want S", j.Letter)
	}
}

// A fault that slows the work makes the section longer during which it comes, and no other.
func TestSlowWorkHitsTheSectionThatHasBegun(t *testing.T) {
	for _, tt := range []struct{ moment, want string }{
		{"A starts waiting", "6s 1s"},
		{"A acquires", "6s 1s"},
		{"A is in its critical section, after: 500ms", "6s 1s"},
		{"A writes", "1s 1s"}, // the work is done
		{"A releases", "1s 1s"},
	} {
		h := play(t, story(t, "set-nx-lua", "clients=[A]", "workload.repeat=2 times", "when: "+tt.moment+", slow: A, by: 5s"))
		var got []string
		for _, hold := range history.Holds(h) {
			if h.Name(hold.Client) == "A" {
				got = append(got, hold.End.Sub(hold.Start).Round(time.Second).String())
			}
		}
		must.Equalf(t, strings.Join(got, " "), tt.want, "%s: the sections of A lasted", tt.moment)
	}
}

// A task that hangs cannot react to the loss of its lock, even in designs that report the loss: it
// keeps believing that it holds the lock.
func TestATaskThatHangsDoesNotLearnOfALoss(t *testing.T) {
	for _, lock := range []string{"redlock-extend", "self-fence", "set-nx-lua"} {
		h := play(t, story(t, lock, "when: A enters, hang: A"))
		hold := history.Holds(h)[0]
		if h.Name(hold.Client) != "A" || hold.How != history.HoldOpen {
			t.Errorf("%s: %s's hold has ended at %v", lock, h.Name(hold.Client), hold.End)
		}
		if j := checker.Judge(h); j.Letter != checker.LetterV {
			t.Errorf("%s: outcome %s, want V: the lease ends, and B comes in", lock, j.Letter)
		}
	}
}

func TestFailoverForgetsWhatWasUnderWay(t *testing.T) {
	for _, tt := range []struct {
		name, lag string
		want      checker.Letter
	}{
		{"the entry is still under way", "500ms", checker.LetterV},
		{"the entry has arrived", "1ms", checker.LetterDelay},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, got := tell(t, story(t, "set-nx-lua", "servers.redis={replicas: 1, lag: "+tt.lag+"}", "workload.work=4s",
				"when: A enters, after: 100ms, fail-over: operator"), history.Crashed, history.Promoted)
			expectLines(t, got, "redis-1 crashed", "redis-2 promoted")
			must.Equalf(t, checker.Judge(h).Letter, tt.want, "outcome")
		})
	}
}

// The run goes on while its only client is being restarted.
func TestTheRunWaitsForARestart(t *testing.T) {
	_, got := tell(t, story(t, "set-nx-lua", "clients=[A]", "when: A is in its critical section, restart: A, down: 5s"),
		history.Crashed, history.Restarted, history.Acquired, history.Finished)
	expectLines(t, got, "A acquired", "A crashed", "A restarted", "A acquired", "A finished")
}

// The quiet period ends a fault whose own end never comes; otherwise the probe would report a stuck
// lock.
func TestTheQuietPeriodEndsAllFaults(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "when: A is in its critical section, pause: redis-1, until: B starts waiting the 50th time"))
	healed, thawed := find(t, h, history.Healed, "nobody"), find(t, h, history.Thawed, "redis-1")
	if thawed.At != healed.At {
		t.Errorf("healed at %v, and the server goes on at %v", healed.At, thawed.At)
	}
	find(t, h, history.Acquired, plan.ProbeName)
}
