package real_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
	"lockstep/internal/scenario/scenariotest"
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
	must.Equalf(t, wantMutualExclusion(t, h, checker.Kept).Acquired, acquired, "acquisitions")
}

// Without a fault all clients get the lock, one at a time, and the commands of the library are in
// the history.
func TestLibrariesKeepOthersOut(t *testing.T) {
	t.Parallel()
	for _, lock := range libraryIDs() {
		t.Run(lock, func(t *testing.T) {
			if lock == "rueidislock" { // it gives back what takes it 20 ms to get, and may wait for ever for its own removal
				realtest.SecondTier(t)
			}
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
				"workload.wait=up to 20s", inSection+"pause: A, until: B acquires"))
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
				must.Equalf(t, e.Peer, promoted.Node, "the probe has asked %s", h.Name(e.Peer))
			}
			wantSome(t, h, history.Sent, plan.ProbeName)
			if lock == "bsm-redislock" { // it does not learn that its entry is lost
				wantOverlaps(t, h, 1)
			}
		})
	}
}

// tenth is a story for a lock at --scale 0.1.
func tenth(t *testing.T, lock string, more ...string) *plan.Plan {
	t.Helper()
	p := scenariotest.Story(t, lock, append([]string{"workload.wait=up to 60s"}, more...)...).Scaled(100_000)
	return &p
}

func TestAPauseLetsASecondClientIntoRedisson(t *testing.T) {
	t.Parallel()
	p := tenth(t, "redisson-3.12.3", "clients=[A, B, C]", "workload.work=8s", inSection+"after: 1s, pause: A, for: 15s")
	h := run(t, p)
	if overlaps(h) == 0 {
		t.Error("no overlap")
	}
	wantEvents(t, h, 1, history.NotHeld, "A")
	for _, c := range p.Clients {
		wantEvents(t, h, 1, history.Acquired, c)
	}
}

// The work is a tenth longer than the lease, so without renewals B would get the lock before A is
// done. B is woken by a message, half a second before it would ask by itself.
func TestRedissonRenewsAndWakesOnRealServers(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"redisson-3.12.3", "redisson-fair", "redisson-fenced"} {
		t.Run(lock, func(t *testing.T) {
			h := run(t, tenth(t, lock, "workload.work=11s"))
			wantOverlaps(t, h, 0)
			if n := len(renewals(h, "A")); n < 2 || n > 4 {
				t.Errorf("%d renewals in a lease and a tenth, want one every third", n)
			}
			released, acquired := once(t, h, history.Released, "A"), once(t, h, history.Acquired, "B")
			if waited := acquired.At.Sub(released.At); waited > 300*time.Millisecond {
				t.Errorf("B came in %v after the release", waited)
			}
		})
	}
}

func renewals(h *history.History, client string) (out []history.Event) {
	for _, e := range find(h, history.Sent, client) {
		if strings.HasPrefix(h.Text(e.Text), "EVAL renew") {
			out = append(out, e)
		}
	}
	return out
}

// WAIT uses the connection of the script, so a replica confirms the entry, which survives a
// failover.
func TestRedissonWaitsForARealReplica(t *testing.T) {
	t.Parallel()
	h := run(t, tenth(t, "redisson", "workload.work=15s", "servers.redis={replicas: 1, failover: {after: 500ms}}",
		"lease=20s", // slavesSyncTimeout is a thirtieth of it, and WAIT is served every 10 ms
		enters+"fail-over: operator"))
	once(t, h, history.Promoted, "redis-2")
	wantOverlaps(t, h, 0)
	confirmed := 0
	for _, e := range find(h, history.Replied, "A") {
		if e.Cause >= 0 && strings.HasPrefix(h.Text(h.Events[e.Cause].Text), "WAIT 1 ") && h.Text(e.Text) == "(integer) 1" {
			confirmed++
		}
	}
	if confirmed == 0 {
		t.Error("no replica confirmed anything")
	}
}

func TestARedissonReleaseThatIsSentAgainCountsTwice(t *testing.T) {
	t.Parallel()
	h := run(t, tenth(t, "redisson-3.12.3", "workload.work=12s", "workload.nested=1", "when: A is about to send unlock, drop: reply"))
	if overlaps(h) == 0 {
		t.Error("no overlap: A's entry outlived the second run of its inner release")
	}
}
