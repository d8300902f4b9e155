package sim

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
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

// playEvents plays a plan and returns the events of some kinds before the final quiet
// period, one per line.
func playEvents(t *testing.T, p *plan.Plan, kinds ...history.Kind) (*history.History, []string) {
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
	h, got := playEvents(t, story(t, "set-nx-lua", "when: A sends SET, drop: reply"),
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
	h, got := playEvents(t, story(t, "set-nx-lua", "when: A sends SET, pause: A, for: 2s"),
		history.Froze, history.Thawed, history.Granted, history.TimedOut)
	expectLines(t, got,
		"A froze", "redis-1 granted lock", "A thawed", // the request was on its way, the reply waits
		"redis-1 granted lock")
	if a, thawed := find(t, h, history.Acquired, "A"), find(t, h, history.Thawed, "A"); a.At != thawed.At {
		t.Errorf("A acquires at %v, it thawed at %v", a.At, thawed.At)
	}
}

func TestCrashedClientDoesNothingMore(t *testing.T) {
	h, got := playEvents(t, story(t, "setnx", "when: A is in its critical section, crash: A"),
		history.Crashed, history.Releasing, history.WriteAccepted, history.GaveUp)
	expectLines(t, got, "A crashed", "B gave-up")
	crashed := false
	for _, e := range h.Events {
		if crashed && h.Name(e.Node) == "A" {
			t.Errorf("a dead client: %v at %v", e.Kind, e.At)
		}
		crashed = crashed || e.Kind == history.Crashed
	}
	must.Equalf(t, checker.Judge(h).Letter, checker.LetterStuck, "outcome")
}

func TestSlowWorkLeavesTheWatchdogAlone(t *testing.T) {
	h, got := playEvents(t, story(t, "watchdog-lua", "when: A enters, slow: A, by: 15s"), history.Extended, history.Expired)
	if len(got) < 4 || strings.Contains(strings.Join(got, " "), "expired") {
		t.Errorf("16 s of work with a lease of 10 s: %v", got)
	}
	must.Equalf(t, checker.Judge(h).Letter, checker.LetterSafe, "outcome")
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
		if h.Name(hold.Client) != "A" || hold.How != 0 {
			t.Errorf("%s: %s's hold has ended at %v", lock, h.Name(hold.Client), hold.End)
		}
		must.Equalf(t, checker.Judge(h).Letter, checker.LetterV, "%s: outcome", lock)
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
			h, got := playEvents(t, story(t, "set-nx-lua", "servers.redis={replicas: 1, lag: "+tt.lag+"}", "workload.work=4s",
				"when: A enters, after: 100ms, fail-over: operator"), history.Crashed, history.Promoted)
			expectLines(t, got, "redis-1 crashed", "redis-2 promoted")
			must.Equalf(t, checker.Judge(h).Letter, tt.want, "outcome")
		})
	}
}

// The run goes on while its only client is being restarted.
func TestTheRunWaitsForARestart(t *testing.T) {
	_, got := playEvents(t, story(t, "set-nx-lua", "clients=[A]", "when: A is in its critical section, restart: A, down: 5s"),
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

// Each of the four moments of a lock's acquire and release comes with each lock, at the expected
// commands: opening a session or a lease does not count, nor do renewals.
func TestMomentsOfAcquireAndReleaseComeForEveryLock(t *testing.T) {
	for lock, want := range map[string]struct{ acquire, release string }{
		"set-nx-lua":          {"SET", "EVAL unlock"},
		"watchdog-lua":        {"SET", "EVAL unlock"},
		"redisson":            {"EVAL", "EVAL unlock"},
		"redlock":             {"SET", "EVAL unlock"},
		"etcd-mutex":          {"TXN", "DELETE"},
		"zk-sequential":       {"CREATE", "DELETE"},
		"consul-session":      {"GET lock", "RELEASE"},
		"mysql-get-lock":      {"SELECT GET_LOCK", "SELECT RELEASE_LOCK"},
		"mysql-for-update":    {"SELECT", "COMMIT"},
		"pg-advisory":         {"SELECT", "SELECT pg_advisory_unlock"},
		"setnx-timestamp-del": {"SETNX", "DEL"},
	} {
		for _, m := range faults.MomentPhrases() {
			if !m.Kind.OnWire() {
				continue
			}
			for word, command := range map[string]string{faults.ItsAcquire: want.acquire, faults.ItsRelease: want.release} {
				// The pause marks the moment: the command is the last one that A sent before it,
				// or the next one after it.
				moment := "A " + strings.Replace(m.Text, "%s", word, 1)
				got := aroundPause(play(t, story(t, lock, "clients=[A]", "workload.work=8s", "when: "+moment+", pause: A, for: 2s")), m.Kind)
				if !strings.HasPrefix(got, command) {
					t.Errorf("%s, %s: A stood still around %q, want %q", lock, moment, got, command)
				}
			}
		}
	}
}

// aroundPause is the command of A whose moment A was frozen at.
func aroundPause(h *history.History, kind faults.MomentKind) string {
	frozen := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Froze })
	if frozen < 0 {
		return "no pause"
	}
	sent := func(e history.Event) bool {
		return e.Kind == history.Sent && h.Name(e.Node) == "A" && !strings.HasPrefix(h.Text(e.Text), "KEEPALIVE")
	}
	if kind == faults.AboutToSend {
		if i := slices.IndexFunc(h.Events[frozen:], sent); i >= 0 {
			return h.Text(h.Events[frozen+i].Text)
		}
		return "nothing"
	}
	for i := frozen - 1; i >= 0; i-- {
		if sent(h.Events[i]) {
			return h.Text(h.Events[i].Text)
		}
	}
	return "nothing"
}

// The same fault loses the reply to the release in three stores. A believes that its release has
// failed, and B already has the lock.
func TestALostAnswerToTheReleaseOfAnyLock(t *testing.T) {
	for _, lock := range []string{"set-nx-lua", "mysql-unique", "etcd-txn"} {
		h, got := playEvents(t, story(t, lock, "when: A sends its release, drop: reply"), history.ReplyDropped, history.ReleaseFailed)
		if len(got) != 2 || !strings.HasSuffix(got[0], " reply-dropped") || !strings.HasPrefix(got[1], "A release-failed ") {
			t.Errorf("%s: %q, want one lost reply and a release that A takes for a failure", lock, got)
		}
		failed, acquired := find(t, h, history.ReleaseFailed, "A"), find(t, h, history.Acquired, "B")
		if acquired.At >= failed.At {
			t.Errorf("%s: B acquired at %v, after A had given up at %v: the lock was not free", lock, acquired.At, failed.At)
		}
		j := checker.Judge(h)
		must.Equalf(t, j.Finding(checker.MutualExclusionID).Verdict, checker.Kept,
			"%s: mutual exclusion", lock)
	}
}

// A scaled story also scales the second in which Consul and its library count.
func TestConsulsSecondIsScaled(t *testing.T) {
	p := story(t, "consul-session", "clients=[A]").Scaled(100_000)
	_, got := playEvents(t, &p, history.Sent)
	if want := "A sent SESSION TTL 1s LOCK-DELAY 1.5s BEHAVIOR release"; len(got) == 0 || got[0] != want {
		t.Errorf("%q, want %q first", got, want)
	}
}

// The effects of a request are recorded before those of a fault that its execution triggers.
func TestAFaultComesAfterWhatTheRequestDid(t *testing.T) {
	for lock, command := range map[string]string{
		"set-nx-lua": "SET", "etcd-txn": "TXN", "consul-session": "ACQUIRE", "zk-ephemeral": "CREATE",
		"mysql-unique": "INSERT", "mysql-get-lock": faults.ItsAcquire, "pg-advisory": faults.ItsAcquire,
	} {
		h := play(t, story(t, lock, "clients=[A]", "when: A has "+command+" executed, evict: lock"))
		fault := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.FaultBegan })
		granted := slices.IndexFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Granted })
		if fault < 0 || granted < 0 || granted > fault || h.Events[granted].Cause < 0 {
			t.Errorf("%s: the entry is granted by event %d, and the fault is event %d: %v", lock, granted, fault, h.Events)
		}
	}
}
