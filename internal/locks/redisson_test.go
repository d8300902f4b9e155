package locks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// Claims of documents about Redisson, checked in the simulator. The figures are Redisson's own, for
// its default lease of 30 s.

const (
	redissonThird = 10 * time.Second
	redissonTick  = 100 * time.Millisecond
)

func redissonPlan(work time.Duration, clients ...string) *plan.Plan {
	p := plan.Default()
	p.Name, p.Clients, p.Lease = "redisson", clients, 30*time.Second
	p.Workload.Work = plan.Range{Min: work, Max: work}
	p.Network.Latency = plan.Range{Min: time.Millisecond, Max: time.Millisecond}
	return &p
}

// played is a history with queries for these tests.
type played struct{ *history.History }

func playRedisson(t *testing.T, p *plan.Plan, lock string) played {
	t.Helper()
	h, err := sim.Run(p, lock, 1)
	if err != nil {
		t.Fatal(err)
	}
	return played{h}
}

// times returns the times of a client's events whose text has a prefix.
func (h played) times(kind history.Kind, client, text string) (out []time.Duration) {
	for _, e := range h.Events {
		if e.Kind == kind && h.Name(e.Node) == client && strings.HasPrefix(h.Text(e.Text), text) {
			out = append(out, e.At.Duration())
		}
	}
	return out
}

func TestRedissonRenewsAThirdOfTheLeaseAfterTheAcquire(t *testing.T) {
	for _, lock := range []string{"redisson-3.12.3", "redisson", "redisson-fair", "redisson-fenced"} {
		h := playRedisson(t, redissonPlan(65*time.Second, "A"), lock)
		last := h.times(history.Acquired, "A", "")[0]
		renewals := h.times(history.Sent, "A", "EVAL renew")
		if len(renewals) != 6 {
			t.Errorf("%s: %d renewals in 65 s, want 6", lock, len(renewals))
		}
		for i, at := range renewals {
			// Each comes a third after the reply to the one before, which comes 2 ms after its
			// request.
			late := at - last - redissonThird
			if late <= 0 || late > redissonTick+4*time.Millisecond {
				t.Errorf("%s: renewal %d is %v late, want at most a tick", lock, i+1, late)
			}
			last = at
		}
		released := h.times(history.Released, "A", "")[0]
		if last := renewals[len(renewals)-1]; last > released {
			t.Errorf("%s: renewed at %v, released at %v", lock, last, released)
		}
	}
}

func TestALeaseTimeMeansNoWatchdog(t *testing.T) {
	h := playRedisson(t, redissonPlan(65*time.Second, "A"), "redisson-lease")
	if n := len(h.times(history.Sent, "A", "EVAL renew")); n != 0 {
		t.Errorf("%d renewals", n)
	}
}

// The old version starts a timer with each lock. In the new one, the timer of the first lock is
// still running when the second is taken, and renews it early.
func TestTheSharedTimerRenewsTheNextLockEarly(t *testing.T) {
	for lock, want := range map[string]time.Duration{
		"redisson-3.12.3": redissonThird,
		"redisson":        redissonThird - 9*time.Second, // which have passed since the first lock
	} {
		p := redissonPlan(8900*time.Millisecond, "A")
		p.Workload.Repeat = 2
		h := playRedisson(t, p, lock)
		acquired := h.times(history.Acquired, "A", "")
		if len(acquired) != 2 {
			t.Fatalf("%s: acquired at %v", lock, acquired)
		}
		renewals := h.times(history.Sent, "A", "EVAL renew")
		if want == redissonThird {
			if len(renewals) != 0 {
				t.Errorf("%s: renewed at %v, although released before a third was over", lock, renewals)
			}
			continue
		}
		if len(renewals) != 1 {
			t.Fatalf("%s: %d renewals, want 1", lock, len(renewals))
		}
		if after := renewals[0] - acquired[1]; after < want || after > want+redissonTick {
			t.Errorf("%s: renewed %v after it was acquired, want %v", lock, after, want)
		}
	}
}

// A release wakes all waiting processes; that of the fair lock wakes the first one.
func TestHowManyARedissonReleaseWakes(t *testing.T) {
	for lock, want := range map[string][]int{
		"redisson-3.12.3": {3, 2, 1, 0},
		"redisson":        {3, 2, 1, 0},
		"redisson-fair":   {1, 1, 1, 0},
	} {
		h := playRedisson(t, redissonPlan(time.Second, "A", "B", "C", "D"), lock)
		var releases []time.Duration
		for _, e := range h.Events {
			if e.Kind == history.Removed && h.Name(e.Owner) != plan.ProbeName {
				releases = append(releases, e.At.Duration())
			}
		}
		var got []int
		for _, at := range releases {
			tries := 0
			for _, c := range []string{"A", "B", "C", "D"} {
				for _, sent := range h.times(history.Sent, c, "EVAL lock") {
					if sent > at && sent < at+100*time.Millisecond {
						tries++
					}
				}
			}
			got = append(got, tries)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: tries after the releases: %v, want %v", lock, got, want)
		}
		if lock != "redisson-fair" {
			continue
		}
		var order []string
		for _, e := range h.Events {
			if e.Kind == history.Acquired && h.Name(e.Node) != plan.ProbeName {
				order = append(order, h.Name(e.Node))
			}
		}
		if got := strings.Join(order, " "); got != "A B C D" {
			t.Errorf("clients that arrived in the order A B C D acquired in the order %s", got)
		}
	}
}

func dropReply(p *plan.Plan, command string) {
	spec, _ := faults.Lookup("drop")
	p.Faults = append(p.Faults, faults.Make(1, spec, faults.Args{Value: "reply"},
		faults.Trigger{Moment: faults.Sends, Subject: "A", Command: command, Nth: 1}, faults.End{}))
}

// When a reply is lost, the old version sends the script again after the response timeout of 3 s
// and 1.5 s; the new one only does so if there are replicas.
func TestWhichVersionRetriesALockScript(t *testing.T) {
	tests := []struct {
		lock     string
		replicas int
		failed   int // attempts that the application sees
		after    [2]time.Duration
	}{
		{"redisson-3.12.3", 0, 0, [2]time.Duration{4500 * time.Millisecond, 4500 * time.Millisecond}},
		{"redisson", 0, 1, [2]time.Duration{3100 * time.Millisecond, 3100 * time.Millisecond}}, // the workload's retry
		{"redisson", 1, 0, [2]time.Duration{3500 * time.Millisecond, 4 * time.Second}},
	}
	for _, tt := range tests {
		name := fmt.Sprintf("%s with %d replicas", tt.lock, tt.replicas)
		p := redissonPlan(time.Second, "A")
		p.Redis.Replicas = tt.replicas
		dropReply(p, "lock")
		h := playRedisson(t, p, tt.lock)
		sent := h.times(history.Sent, "A", "EVAL lock")
		if len(sent) != 2 {
			t.Fatalf("%s: sent at %v, want twice", name, sent)
		}
		if after := sent[1] - sent[0]; after < tt.after[0] || after > tt.after[1] {
			t.Errorf("%s: sent again after %v, want %v", name, after, tt.after)
		}
		if got := len(h.times(history.AcquireFailed, "A", "")); got != tt.failed {
			t.Errorf("%s: %d attempts failed, want %d", name, got, tt.failed)
		}
		// The script ran twice, so after the release one hold is left.
		if replies := h.times(history.Replied, "A", "(integer) 0"); len(replies) != 1 {
			t.Errorf("%s: the release did not leave a hold behind", name)
		}
	}
}

// An acquisition that no replica confirms is undone, and retried four times.
func TestRedissonUndoesWhatNoReplicaHas(t *testing.T) {
	p := redissonPlan(time.Second, "A")
	p.Redis.Replicas, p.Redis.Lag = 1, time.Minute
	p.Workload.Wait = 30 * time.Second
	h := playRedisson(t, p, "redisson")
	if n := len(h.times(history.Acquired, "A", "")); n != 0 {
		t.Errorf("acquired %d times", n)
	}
	failed := h.times(history.AcquireFailed, "A", "none of the replicas were synced")
	if len(failed) == 0 {
		t.Fatal("no attempt failed")
	}
	before := func(text string) (n int) {
		for _, at := range h.times(history.Sent, "A", text) {
			if at < failed[0] {
				n++
			}
		}
		return n
	}
	if locks, unlocks := before("EVAL lock"), before("EVAL unlock"); locks != 5 || unlocks != 5 {
		t.Errorf("%d scripts to lock and %d to unlock, want 5 and 5", locks, unlocks)
	}
	if n := len(h.times(history.Sent, "A", "WAIT 1 1000")); n < 10 {
		t.Errorf("WAIT was sent %d times", n)
	}
}

// When the message of a release is lost, the waiter tries again when the entry would have expired,
// and not before.
func TestALostMessageCostsAtMostTheTimeToLive(t *testing.T) {
	p := redissonPlan(2*time.Second, "A", "B")
	p.Redis.Persistence = plan.PersistAlways
	spec, _ := faults.Lookup("restart")
	p.Faults = append(p.Faults, faults.Make(1, spec,
		faults.Args{Value: faults.ThePrimary, Durations: map[string]time.Duration{"down": 1100 * time.Millisecond}},
		faults.Trigger{Moment: faults.Releases, Subject: "A", Nth: 1}, faults.End{}))
	h := playRedisson(t, p, "redisson-3.12.3")
	listens := h.times(history.Sent, "B", "SUBSCRIBE")
	removed := h.times(history.Removed, "redis-1", "lock")[0]
	if again := listens[len(listens)-1]; again < removed {
		t.Fatalf("B listened again at %v, and A released at %v: nothing was lost", again, removed)
	}
	// B asked last some 58 ms after the start, when 29.947 s were left.
	if got := h.times(history.Acquired, "B", ""); len(got) != 1 || got[0] < 30*time.Second || got[0] > 30050*time.Millisecond {
		t.Errorf("B acquired at %v, want 30 s", got)
	}
}
