package sim

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// story is a small plan with one fault: two clients, work of one second.
func story(f faults.Fault) plan.Plan {
	p := plan.Default()
	p.Name = "story"
	p.Clients = []string{"A", "B"}
	p.Workload.Work = plan.Range{Min: time.Second, Max: time.Second}
	p.Workload.Wait = 30 * time.Second
	p.Faults = []faults.Fault{f}
	return p
}

// play plays a plan with a lock and a seed.
func play(t *testing.T, p *plan.Plan, lock string, seed uint64) *history.History {
	t.Helper()
	h, err := Run(p, lock, seed)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// tell plays a plan and returns the events of some kinds before the final quiet
// period, one per line.
func tell(t *testing.T, p plan.Plan, lock string, kinds ...history.Kind) (*history.History, []string) {
	t.Helper()
	h := play(t, &p, lock, 1)
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
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got:\n%s\nwant:\n%s", g, w)
	}
}

func onWire(kind faults.MomentKind, command string) faults.Trigger {
	return faults.Trigger{Moment: kind, Subject: "A", Command: command, Nth: 1}
}

func first(kind faults.MomentKind) faults.Trigger {
	return faults.Trigger{Moment: kind, Subject: "A", Nth: 1}
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
	p := story(verb("drop", 1, "reply", onWire(faults.Sends, "SET"), faults.End{}))
	h, got := tell(t, p, "set-nx-lua", history.ReplyDropped, history.AcquireFailed, history.Granted)
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
	f := lasting("delay", 1, "reply", 2*time.Second, onWire(faults.Sends, "SET"), faults.End{})
	h, _ := tell(t, story(f), "set-nx-lua")
	granted, acquired := find(t, h, history.Granted, "redis-1"), find(t, h, history.Acquired, "A")
	if late := acquired.At.Sub(granted.At); late < 2*time.Second || late > 2*time.Second+2*time.Millisecond {
		t.Errorf("the reply took %v", late)
	}
}

func TestFrozenClientKeepsItsSocketsAndLosesItsTime(t *testing.T) {
	p := story(verb("pause", 1, "A", onWire(faults.Sends, "SET"), faults.End{For: 2 * time.Second}))
	h, got := tell(t, p, "set-nx-lua", history.Froze, history.Thawed, history.Granted, history.TimedOut)
	expectLines(t, got,
		"A froze", "redis-1 granted lock", "A thawed", // the request was on its way, the reply waits
		"redis-1 granted lock")
	if a, thawed := find(t, h, history.Acquired, "A"), find(t, h, history.Thawed, "A"); a.At != thawed.At {
		t.Errorf("A acquires at %v, it thawed at %v", a.At, thawed.At)
	}
}

func TestCrashedClientDoesNothingMore(t *testing.T) {
	p := story(verb("crash", 1, "A", first(faults.InSection), faults.End{}))
	h, got := tell(t, p, "setnx", history.Crashed, history.Releasing, history.WriteAccepted, history.GaveUp)
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
	p := story(lasting("slow", 1, "A", 15*time.Second, first(faults.Enters), faults.End{}))
	h, got := tell(t, p, "watchdog-lua", history.Extended, history.Expired)
	if len(got) < 4 || strings.Contains(strings.Join(got, " "), "expired") {
		t.Errorf("16 s of work with a lease of 10 s: %v", got)
	}
	if j := checker.Judge(h); j.Letter != checker.LetterSafe {
		t.Errorf("outcome %s, want S", j.Letter)
	}
}

// A fault that slows the work makes the section longer during which it comes, and no other.
func TestSlowWorkHitsTheSectionThatHasBegun(t *testing.T) {
	for _, tt := range []struct {
		moment faults.MomentKind
		want   string
	}{
		{faults.StartsWaiting, "6s 1s"},
		{faults.Acquires, "6s 1s"},
		{faults.InSection, "6s 1s"},
		{faults.Writes, "1s 1s"}, // the work is done
		{faults.Releases, "1s 1s"},
	} {
		at := first(tt.moment)
		if at.After = 500 * time.Millisecond; tt.moment != faults.InSection {
			at.After = 0
		}
		p := story(lasting("slow", 1, "A", 5*time.Second, at, faults.End{}))
		p.Clients, p.Workload.Repeat = []string{"A"}, 2
		h := play(t, &p, "set-nx-lua", 1)
		var got []string
		for _, hold := range history.Holds(h) {
			if h.Name(hold.Client) == "A" {
				got = append(got, hold.End.Sub(hold.Start).Round(time.Second).String())
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%v: the sections of A lasted %s, want %s", at, s, tt.want)
		}
	}
}

// A task that hangs cannot react to the loss of its lock, even in designs that report the loss: it
// keeps believing that it holds the lock.
func TestATaskThatHangsDoesNotLearnOfALoss(t *testing.T) {
	for _, lock := range []string{"redlock-extend", "self-fence", "set-nx-lua"} {
		p := story(verb("hang", 1, "A", first(faults.Enters), faults.End{}))
		h := play(t, &p, lock, 1)
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
		name string
		lag  time.Duration
		want checker.Letter
	}{
		{"the entry is still under way", 500 * time.Millisecond, checker.LetterV},
		{"the entry has arrived", time.Millisecond, checker.LetterDelay},
	} {
		t.Run(tt.name, func(t *testing.T) {
			trigger := first(faults.Enters)
			trigger.After = 100 * time.Millisecond
			p := story(verb("fail-over", 1, "operator", trigger, faults.End{}))
			p.Redis.Replicas, p.Redis.Lag = 1, tt.lag
			p.Workload.Work = plan.Range{Min: 4 * time.Second, Max: 4 * time.Second}
			h, got := tell(t, p, "set-nx-lua", history.Crashed, history.Promoted)
			expectLines(t, got, "redis-1 crashed", "redis-2 promoted")
			if j := checker.Judge(h); j.Letter != tt.want {
				t.Errorf("outcome %s, want %s", j.Letter, tt.want)
			}
		})
	}
}

// The run goes on while its only client is being restarted.
func TestTheRunWaitsForARestart(t *testing.T) {
	p := story(restartOf(1, "A", 5*time.Second, first(faults.InSection)))
	p.Clients = []string{"A"}
	_, got := tell(t, p, "set-nx-lua", history.Crashed, history.Restarted, history.Acquired, history.Finished)
	expectLines(t, got, "A acquired", "A crashed", "A restarted", "A acquired", "A finished")
}

// The quiet period ends a fault whose own end never comes; otherwise the probe would report a stuck
// lock.
func TestTheQuietPeriodEndsAllFaults(t *testing.T) {
	never := &faults.Trigger{Moment: faults.StartsWaiting, Subject: "B", Nth: 50}
	p := story(verb("pause", 1, "redis-1", first(faults.InSection), faults.End{Until: never}))
	h := play(t, &p, "set-nx-lua", 1)
	healed, thawed := find(t, h, history.Healed, "nobody"), find(t, h, history.Thawed, "redis-1")
	if thawed.At != healed.At {
		t.Errorf("healed at %v, and the server goes on at %v", healed.At, thawed.At)
	}
	find(t, h, history.Acquired, plan.ProbeName)
}
