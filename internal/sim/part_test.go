package sim

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
)

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
		h, got := tell(t, story(t, lock, "when: A sends its release, drop: reply"), history.ReplyDropped, history.ReleaseFailed)
		if len(got) != 2 || !strings.HasSuffix(got[0], " reply-dropped") || !strings.HasPrefix(got[1], "A release-failed ") {
			t.Errorf("%s: %q, want one lost reply and a release that A takes for a failure", lock, got)
		}
		failed, acquired := find(t, h, history.ReleaseFailed, "A"), find(t, h, history.Acquired, "B")
		if acquired.At >= failed.At {
			t.Errorf("%s: B acquired at %v, after A had given up at %v: the lock was not free", lock, acquired.At, failed.At)
		}
		j := checker.Judge(h)
		if f := j.Finding(checker.MutualExclusionID); f.Verdict != checker.Kept {
			t.Errorf("%s: mutual exclusion is %s", lock, f.Verdict)
		}
	}
}

// A scaled story also scales the second in which Consul and its library count.
func TestConsulsSecondIsScaled(t *testing.T) {
	p := story(t, "consul-session", "clients=[A]").Scaled(100_000)
	_, got := tell(t, &p, history.Sent)
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
