package locks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// Claims of documents about Redisson, checked in the simulator. The figures are Redisson's own, for
// its default lease of 30 s.

const (
	redissonThird = 10 * time.Second
	redissonTick  = 100 * time.Millisecond
)

// played is a history with queries for these tests.
type played struct{ *history.History }

// play plays a story with a lock. All its faults must happen.
func play(t *testing.T, lock, story string) played {
	t.Helper()
	p := scenariotest.Parse(t, "story.yaml", "scenario: A story\nlocks: ["+lock+"]\n"+story)
	h := must.Get(sim.Run(p, lock, 1))(t)
	for _, f := range p.Faults {
		if !slices.ContainsFunc(h.Events, func(e history.Event) bool {
			return e.Kind == history.FaultBegan && e.Value == int64(f.Number)
		}) {
			t.Errorf("%s: %s: it never happens", lock, f.Text)
		}
	}
	return played{h}
}

func playRedisson(t *testing.T, lock, story string) played {
	t.Helper()
	return play(t, lock, "lease: 30s\nnetwork: {latency: 1ms}\n"+story)
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
		h := playRedisson(t, lock, "clients: [A]\nworkload: {work: 65s}")
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
	h := playRedisson(t, "redisson-lease", "clients: [A]\nworkload: {work: 65s}")
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
		h := playRedisson(t, lock, "clients: [A]\nworkload: {work: 8900ms, repeat: 2 times}")
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
		h := playRedisson(t, lock, "clients: [A, B, C, D]\nworkload: {work: 1s}")
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
		h := playRedisson(t, tt.lock, fmt.Sprintf(`
clients: [A]
workload: {work: 1s}
servers: {redis: {replicas: %d}}
faults: [{when: A sends lock, drop: reply}]
`, tt.replicas))
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
	h := playRedisson(t, "redisson", `
clients: [A]
workload: {work: 1s, wait: up to 30s}
servers: {redis: {replicas: 1, lag: 1m}}
`)
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
	h := playRedisson(t, "redisson-3.12.3", `
clients: [A, B]
workload: {work: 2s}
servers: {redis: {persistence: always}}
faults: [{when: A releases, restart: the primary, down: 1100ms}]
`)
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
