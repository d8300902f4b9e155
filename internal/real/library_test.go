package real_test

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// libraryIDs are the variants that are libraries.
func libraryIDs() []string {
	var out []string
	for _, v := range locks.All() {
		if v.Library != "" {
			out = append(out, v.ID)
		}
	}
	return out
}

// needServersOf skips the test of a lock without the programs of its servers, see realtest.Need.
func needServersOf(t *testing.T, lock string) {
	t.Helper()
	v, _ := locks.Lookup(lock)
	realtest.NeedServers(t, v.Store)
}

// wantMutualExclusion compares the verdict on mutual exclusion.
func wantMutualExclusion(t *testing.T, h *history.History, want checker.Verdict) checker.Judgement {
	t.Helper()
	j := checker.Judge(h)
	if v := j.Finding(checker.MutualExclusionID).Verdict; v != want {
		t.Errorf("mutual exclusion is %s, want %s: %s", v, want, j.WhyUnknown().English())
	}
	return j
}

// wantKept demands mutual exclusion and a number of acquisitions, with that of the probe.
func wantKept(t *testing.T, h *history.History, acquired int) {
	t.Helper()
	if j := wantMutualExclusion(t, h, checker.Kept); j.Acquired != acquired {
		t.Errorf("%d acquisitions, want %d", j.Acquired, acquired)
	}
}

// Without a fault all clients get the lock, one at a time, and the commands of the library are in
// the history.
func TestLibrariesKeepOthersOut(t *testing.T) {
	t.Parallel()
	for _, lock := range libraryIDs() {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			needServersOf(t, lock)
			h := run(t, quick(t, lock, "clients=[A, B, C]"))
			wantKept(t, h, 4)
			if sent := find(h, history.Sent, "A"); (len(sent) == 0) != (lock == "etcd-concurrency") {
				t.Errorf("%d commands of the library are in the history", len(sent))
			}
		})
	}
}

// With each library, a pause longer than the lease lets a second client in.
func TestLibrariesLetASecondClientInAfterAPause(t *testing.T) {
	t.Parallel()
	for _, lock := range libraryIDs() {
		t.Run(lock, func(t *testing.T) {
			if lock != "bsm-redislock" && lock != "etcd-concurrency" { // one of each store comes first
				realtest.SecondTier(t)
			}
			t.Parallel()
			needServersOf(t, lock)
			h := run(t, quick(t, lock, "workload.work=300ms", "workload.repeat=2 times", // if B is first, it is not done when A is paused
				inSection+"pause: A, for: 4s")) // etcd ends leases of 1 s late, by a second at most
			wantMutualExclusion(t, h, checker.Broken)
		})
	}
}

// After a lost reply go-redis sends the same command again. redislock's script finds its own token
// and succeeds at once. redsync's SET finds its own entry, as if it were another client's, and
// redsync removes it and starts over with the same token. With a shorter lease redsync would not
// repeat the command: its context ends after a twentieth of the lease.
func TestGoRedisRepeatsACommandWithoutAReply(t *testing.T) {
	t.Parallel()
	for lock, want := range map[string]struct {
		command string
		answers []string
	}{
		"bsm-redislock": {"obtain", []string{"OK"}}, "redsync": {"SET", []string{"(nil)", "OK"}},
	} {
		t.Run(lock, func(t *testing.T) {
			p := quick(t, lock, "clients=[A]", "lease=10s", "when: A is about to send "+want.command+", drop: reply")
			p.Redlock.Nodes = 1
			h := run(t, p)
			lost, again := "", []string{} // the command, and the answers to its repetitions
			for i, e := range h.Events {
				switch {
				case e.Kind == history.ReplyDropped && lost == "":
					lost = h.Text(h.Events[e.Cause].Text)
				case e.Kind == history.ReplyDropped:
					t.Error("more than one reply was lost")
				case e.Kind == history.Sent && lost != "" && h.Text(e.Text) == lost:
					again = append(again, answerTo(h, int32(i)))
				}
			}
			if !strings.Contains(lost, want.command) || !slices.Equal(again, want.answers) {
				t.Errorf("the reply to %q was lost, and it was sent again with the answers %q, want %q:\n%s", lost, again, want.answers, text(h))
			}
			wantEvents(t, h, 1, history.Acquired, "A")
		})
	}
}

// answerTo returns the reply to a command; "" without one.
func answerTo(h *history.History, sent int32) string {
	for _, e := range h.Events {
		if e.Kind == history.Replied && e.Cause == sent {
			return h.Text(e.Text)
		}
	}
	return ""
}

// Sentinels promote a replica that lacks A's entry. Each library follows them with its own client,
// and continues with the new primary.
func TestLibrariesFollowSentinels(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	for _, lock := range []string{"bsm-redislock", "rueidislock"} {
		t.Run(lock, func(t *testing.T) {
			h := run(t, watched(t, lock, 2, inSection+"fail-over: sentinel"))
			promoted := once(t, h, history.Promoted, "")
			clients := []string{"A", "B", plan.ProbeName}
			if lock == "rueidislock" { // its B waits for a notification that the new primary never sends
				clients = []string{"A", plan.ProbeName}
			}
			for _, name := range clients {
				wantEvents(t, h, 1, history.Acquired, name)
			}
			for _, e := range find(h, history.Sent, plan.ProbeName) {
				if e.Peer != promoted.Node {
					t.Errorf("the probe has asked %s, want the new primary", h.Name(e.Peer))
				}
			}
			wantSome(t, h, history.Sent, plan.ProbeName)
			if lock == "bsm-redislock" { // it does not learn that its entry is lost
				wantOverlaps(t, h, 1)
			}
		})
	}
}
