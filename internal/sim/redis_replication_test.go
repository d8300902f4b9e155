package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/store/redis"
)

// splitByHand cuts A and the primary off from B and the replica, and promotes the replica 100 ms
// later. A's Redisson asks its primary for the number of replicas, then for as many confirmations.
func splitByHand(t *testing.T, lock string, length time.Duration) *plan.Plan {
	const begin = "when: A is about to send any command, "
	return story(t, lock, "servers.redis.replicas=1", fmt.Sprintf("workload.wait=up to %v", 2*length),
		begin+fmt.Sprintf("partition: [[A, the primary], [B, replicas]], for: %v", length), begin+"after: 100ms, promote: replica")
}

// answers returns the replies to those of A's commands that have a prefix, within a span of time.
func answers(h *history.History, command string, from, until time.Duration) (out []string) {
	sent := map[int32]string{}
	for i, e := range h.Events {
		switch {
		case h.Name(e.Node) == "A" && e.Kind == history.Sent:
			sent[int32(i)] = h.Text(e.Text)
		case e.Kind == history.Executed && strings.HasPrefix(sent[e.Cause], command) && from < e.At.Duration() && e.At.Duration() < until:
			out = append(out, h.Text(e.Text))
		}
	}
	return out
}

// A replica that is promoted knows none of the scripts that its primary has loaded.
func TestReplicasDoNotKnowScripts(t *testing.T) {
	w := New()
	defer w.Close()
	w.Scripts = []*redis.Script{{Name: "one", Source: "return 1"}}
	must.Get(w.Run(splitByHand(t, "set-nx-lua", time.Second), "set-nx-lua", 1))(t)
	byHash := redis.Eval(w.Scripts[0], "k").Named("EVALSHA")
	for i, want := range []string{"(integer) 1", "(error) NOSCRIPT No matching script. Please use EVAL."} {
		must.Equalf(t, w.stores[i].Exec(0, 1, &byHash).String(), want, "redis-%d", i+1)
	}
}

// The primary cannot notice that its replica has left, so it reports connected_slaves:1, as a real
// one does, and no replica confirms a WAIT.
func TestACutOffPrimaryStillCountsTheReplicaThatLeft(t *testing.T) {
	w := New()
	defer w.Close()
	h := must.Get(w.Run(splitByHand(t, "redisson", 30*time.Second), "redisson", 1))(t)
	infos := answers(h, "INFO", time.Second, 29*time.Second)
	if len(infos) == 0 || slices.ContainsFunc(infos, func(s string) bool { return !strings.Contains(s, "connected_slaves:1") }) {
		t.Errorf("the primary says %q", infos)
	}
	waits := answers(h, "WAIT", time.Second, 29*time.Second)
	if len(waits) == 0 || slices.ContainsFunc(waits, func(s string) bool { return s != "(integer) 0" }) {
		t.Errorf("replicas that have confirmed: %q", waits)
	}
	if got := find(t, h, history.Acquired, "A"); got.At < history.Instant(30*time.Second) {
		t.Errorf("A acquired at %v, within the cut", got.At)
	}
	if n := len(w.backend.(*redisGroup).servers[0].serves); n != 0 {
		t.Errorf("after the heal it still has %d replicas", n)
	}
}

// After repl-timeout the primary has no replica, and A gets the lock without a confirmation.
func TestACutOffPrimaryGivesItsReplicaUpAfterAMinute(t *testing.T) {
	h := play(t, splitByHand(t, "redisson", 90*time.Second))
	got := find(t, h, history.Acquired, "A")
	if got.At < history.Instant(60*time.Second) || got.At > history.Instant(70*time.Second) {
		t.Errorf("A acquired at %v, want some seconds after the first minute", got.At)
	}
	infos := answers(h, "INFO", 60*time.Second, got.At.Duration())
	if len(infos) == 0 || !strings.Contains(infos[len(infos)-1], "connected_slaves:0") {
		t.Errorf("the primary says %q", infos)
	}
}

// WAIT is about what had been written when its connection was last used, including the greeting.
// set-wait-pooled asks on a second connection, dialled before the SET, so its first WAIT has
// nothing to wait for. The second one waits for the first release, which the late replica has not
// confirmed. Real servers do the same: TestWaitSpeaksOfThePastOfItsConnection in
// internal/real/worker.
func TestWaitSpeaksOfThePast(t *testing.T) {
	const lag = 500 * time.Millisecond
	for lock, want := range map[string][]bool{"set-wait-pooled": {false, true}, "set-wait": {true, true}} {
		h := play(t, story(t, lock, "clients=[A]", "servers.redis={replicas: 1, lag: 500ms}",
			"workload={work: 0s, rest: 0s, repeat: 2 times, wait: up to 60s}"))
		var waited []bool
		for _, e := range h.Events {
			if e.Kind != history.Executed || e.Cause < 0 {
				continue
			}
			if sent := &h.Events[e.Cause]; h.Name(sent.Node) == "A" && strings.HasPrefix(h.Text(sent.Text), "WAIT") {
				waited = append(waited, e.At.Sub(sent.At) >= lag)
			}
		}
		if !slices.Equal(waited, want) {
			t.Errorf("%s: each WAIT waited for the replica: %v, want %v", lock, waited, want)
		}
	}
}

// WAIT does not count a replica that has been silent for over a minute, even if nothing is left to
// confirm: set-wait-pooled asks for what was written before its SET, which is nothing.
func TestWaitLeavesOutAReplicaThatIsSilentForAMinute(t *testing.T) {
	for begins, want := range map[time.Duration]string{30 * time.Second: "(integer) 1", 90 * time.Second: "(integer) 0"} {
		h := play(t, story(t, "set-wait-pooled", "clients=[A]", "servers.redis.replicas=1", "workload.wait=up to 2m",
			"at: 0s, partition: [redis-1, redis-2], for: 2m", fmt.Sprintf("at: 0s, pause: A, for: %v", begins)))
		waits := answers(h, "WAIT", begins, begins+10*time.Second)
		if len(waits) == 0 || waits[0] != want {
			t.Errorf("after %v: %q, want %s first", begins, waits, want)
		}
	}
}
