package real_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real"
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

// needFor skips the test when the server of a library is missing.
func needFor(t *testing.T, lock string) {
	t.Helper()
	if v, _ := locks.Lookup(lock); v.Store == locks.StoreEtcd {
		realtest.Need(t, "etcd")
	}
}

// Without a fault, no client gets in beside another, all get in, and what the
// library sends is in the history.
func TestLibrariesKeepOthersOut(t *testing.T) {
	t.Parallel()
	for _, lock := range libraryIDs() {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			needFor(t, lock)
			p := quick("A", "B", "C")
			h := run(t, p, lock)
			j := checker.Judge(h)
			if v := j.Finding(checker.MutualExclusionID).Verdict; v != checker.Kept || j.Acquired != 4 {
				t.Errorf("mutual exclusion is %s after %d acquisitions, want 4 with that of the probe: %s", v, j.Acquired, j.Finding(checker.MutualExclusionID).Reason.English())
			}
			if sent := find(h, history.Sent, "A"); (len(sent) == 0) != (lock == "etcd-concurrency") {
				t.Errorf("%d commands of the library are in the history", len(sent))
			}
		})
	}
}

// A pause longer than the lease lets a second client in, whatever the library.
func TestLibrariesLetASecondClientInAfterAPause(t *testing.T) {
	t.Parallel()
	for _, lock := range libraryIDs() {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			needFor(t, lock)
			p := quick("A", "B")
			p.Workload.Work = plan.Range{Min: 300 * time.Millisecond, Max: 300 * time.Millisecond}
			p.Workload.Repeat = 2                                                                           // if B is first, it is not done when A sleeps
			fault(t, p, when(faults.InSection, "A", ""), "pause", "A", 0, faults.End{For: 4 * time.Second}) // etcd ends leases of 1 s late, by a second at most
			j := checker.Judge(run(t, p, lock))
			if v := j.Finding(checker.MutualExclusionID).Verdict; v != checker.Broken {
				t.Errorf("mutual exclusion is %s", v)
			}
		})
	}
}

// The reply of the first acquisition is lost. go-redis sends the very same command
// again: redislock's script knows its own token and succeeds at once, redsync's SET finds
// its own entry, takes it for another's, removes it and starts over with the same token.
// With a shorter lease redsync would not see a repetition: its context ends after a
// twentieth of the lease, and go-redis gives up with it.
func TestALostReplyIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for lock, want := range map[string]struct {
		command string
		answers []string
	}{
		"bsm-redislock": {"obtain", []string{"OK"}}, "redsync": {"SET", []string{"(nil)", "OK"}},
	} {
		t.Run(lock, func(t *testing.T) {
			p := quick("A")
			p.Redlock.Nodes, p.Lease = 1, 10*time.Second
			fault(t, p, when(faults.AboutToSend, "A", want.command), "drop", "reply", 0, faults.End{})
			h := run(t, p, lock)
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
			if n := len(find(h, history.Acquired, "A")); n != 1 {
				t.Errorf("A acquired %d times, want once", n)
			}
		})
	}
}

// answerTo is what was replied to a command; "" when nothing was.
func answerTo(h *history.History, sent int32) string {
	for _, e := range h.Events {
		if e.Kind == history.Replied && e.Cause == sent {
			return h.Text(e.Text)
		}
	}
	return ""
}

// The primary dies and sentinels promote a replica that had not heard of A's entry. Each
// library asks them by its own client, and goes on with the new primary.
func TestLibrariesFollowSentinels(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	for _, lock := range []string{"bsm-redislock", "rueidislock"} {
		t.Run(lock, func(t *testing.T) {
			p := watched(2, "A", "B")
			fault(t, p, when(faults.InSection, "A", ""), "fail-over", "sentinel", 0, faults.End{})
			h := run(t, p, lock)
			promoted := find(h, history.Promoted, "")
			if len(promoted) != 1 {
				t.Fatalf("%d promotions", len(promoted))
			}
			clients := []string{"A", "B", plan.ProbeName}
			if lock == "rueidislock" { // its B waits for news of keys that the new primary has never had
				clients = []string{"A", plan.ProbeName}
			}
			for _, name := range clients {
				if n := len(find(h, history.Acquired, name)); n != 1 {
					t.Errorf("%s acquired %d times, want once", name, n)
				}
			}
			asked := find(h, history.Sent, plan.ProbeName)
			for _, e := range asked {
				if e.Peer != promoted[0].Node {
					t.Errorf("the probe has asked %s, want the new primary", h.Name(e.Peer))
				}
			}
			if len(asked) == 0 {
				t.Error("nothing of what the probe sent is in the history")
			}
			if lock == "bsm-redislock" && overlaps(h) != 1 { // nothing tells it that the entry is forgotten
				t.Errorf("%d overlaps, want one", overlaps(h))
			}
		})
	}
}

// What acts on the ports of a lock would pass by a library; it is refused.
func TestWhatPassesByALibraryIsRefused(t *testing.T) {
	clocks, server := quick("A"), quick("A")
	clocks.Clocks = []plan.Clock{{Node: "A", Offset: time.Second}}
	server.Clocks = []plan.Clock{{Node: "redis-1", Offset: time.Second}}
	jump, serverJumps := quick("A"), quick("A")
	fault(t, jump, when(faults.InSection, "A", ""), "jump-clock", "A", time.Second, faults.End{})
	fault(t, serverJumps, when(faults.InSection, "A", ""), "jump-clock", faults.ThePrimary, time.Second, faults.End{})
	evict := quick("A")
	fault(t, evict, when(faults.InSection, "A", ""), "evict", "lock", 0, faults.End{})
	wire := quick("A")
	fault(t, wire, when(faults.Sends, "A", faults.ItsRelease), "drop", "reply", 0, faults.End{})
	for _, tt := range []struct {
		plan *plan.Plan
		lock string
		want string
	}{
		{clocks, "bsm-redislock", "reads the clock of its host"},
		{jump, "bsm-redislock", "reads the clock of its host"},
		{server, "bsm-redislock", ""},
		{serverJumps, "rueidislock", ""},
		{evict, "rueidislock", "keys of its own"},
		{evict, "bsm-redislock", ""},
		{wire, "etcd-concurrency", "is not read along"},
		{wire, "rueidislock", ""},
	} {
		err := real.Refuse(tt.plan, tt.lock, real.Options{})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.lock, err, tt.want)
		}
	}
}
