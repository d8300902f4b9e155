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

// A primary that stands still hears of confirmations, and of the end of a WAIT, when it goes on.
func TestAFrozenPrimaryWaitsForItsThaw(t *testing.T) {
	for length, want := range map[time.Duration]string{500 * time.Millisecond: "(integer) 1", 5 * time.Second: "(integer) 1"} {
		h := play(t, story(t, "set-wait", "clients=[A]", "network={latency: 1ms, timeout: 10s}", "servers.redis={replicas: 1, lag: 20ms}",
			fmt.Sprintf("when: A sends WAIT, after: 5ms, pause: redis-1, for: %v", length)))
		waits := answers(h, "WAIT", 0, length)
		if waits = append(waits, answers(h, "WAIT", length, length+time.Second)...); len(waits) != 1 || waits[0] != want {
			t.Errorf("after a pause of %v: %q, want %s after it", length, waits, want)
		}
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
	must.Equalf(t, len(w.backend.(*redisGroup).servers[0].serves), 0,
		"after the heal it still has … replicas")
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
		must.Slicesf(t, waited, want, "%s: each WAIT waited for the replica", lock)
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

// Times of sentinels that no scenario can set.
var demoteAfter, timeout = (&plan.Plan{}).SentinelTimes()

// busy is a story of clients that take the lock again and again, for a second each time, with three
// replicas and three sentinels.
func busy(t *testing.T, lock string, more ...string) *plan.Plan {
	return story(t, lock, append([]string{"workload={work: 1s, repeat: 40 times, rest: 200ms, wait: up to 1m}",
		"servers.redis={replicas: 3, failover: {by: sentinel, down-after: 1s, election: 1s}}"}, more...)...)
}

// instants returns when events of a kind happened on a node; with a peer if that is not "".
func instants(h *history.History, kind history.Kind, node, peer string) (out []time.Duration) {
	for _, e := range h.Events {
		if e.Kind == kind && h.Name(e.Node) == node && (peer == "" || h.Name(e.Peer) == peer) {
			out = append(out, e.At.Duration())
		}
	}
	return out
}

// A replica that is cut off keeps copying the old primary until an operator or a sentinel reaches
// it; a sentinel first waits for its timeout. The operator promotes the first replica and works
// from there.
func TestACutOffReplicaStaysWithTheOldPrimary(t *testing.T) {
	const heal = 22 * time.Second
	for name, tt := range map[string]struct {
		sides        string
		byHand       []string
		stays, leads string        // of the replicas, the one with the old primary, and the new primary
		told         time.Duration // after the heal
	}{
		"by sentinels": {"[[A, redis-1, redis-2], [B, redis-3, redis-4, sentinels]]", nil, "redis-2", "redis-3", timeout},
		"by hand": {"[[A, redis-1, redis-3], [B, redis-2, redis-4]]",
			[]string{"servers.redis={replicas: 3}", "at: 3s, promote: replica"}, "redis-3", "redis-2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := play(t, busy(t, "set-wait", append([]string{"at: 2s, for: 20s, partition: " + tt.sides}, tt.byHand...)...))
			copies := instants(h, history.Replicated, tt.stays, "redis-1")
			if len(copies) == 0 || copies[len(copies)-1] < heal-3*time.Second || copies[len(copies)-1] > heal+100*time.Millisecond {
				t.Errorf("%s copies redis-1 at %v, want until the heal at %v", tt.stays, copies, heal)
			}
			copies = instants(h, history.Replicated, tt.stays, tt.leads)
			if reconfigured := heal + tt.told; len(copies) == 0 || copies[0] < reconfigured || copies[0] > reconfigured+3*time.Second {
				t.Errorf("%s copies %s at %v, want from %v on", tt.stays, tt.leads, copies, reconfigured)
			}
			var held int // by A, whose primary has a replica that confirms
			for _, at := range instants(h, history.Acquired, "A", "") {
				if at > 5*time.Second && at < heal {
					held++
				}
			}
			if held < 5 {
				t.Errorf("A held the lock %d times on its side of the cut", held)
			}
		})
	}
}

// Sentinels demote an old primary once they have reached it for a while. Its unreplicated data are
// lost then.
func TestSentinelsDemoteAnOldPrimary(t *testing.T) {
	const heal = 12 * time.Second
	h := play(t, busy(t, "set-nx-lua", "workload.work=7s",
		"at: 2s, for: 10s, partition: [[A, redis-1], [B, redis-2, redis-3, redis-4, sentinels]]"))
	between(t, "redis-1 is demoted", find(t, h, history.Demoted, "redis-1").At, heal+demoteAfter, heal+demoteAfter+400*time.Millisecond)
	between(t, "A's entry is forgotten", find(t, h, history.Forgotten, "redis-1").At, heal+demoteAfter, heal+demoteAfter+500*time.Millisecond)
}

// A primary that crashed restarts as a primary, until the sentinels demote it.
func TestADeadPrimaryRestartsAsAPrimary(t *testing.T) {
	h := play(t, busy(t, "set-nx-lua", "at: 2s, fail-over: sentinel", "at: 8s, restart: redis-1"))
	back := find(t, h, history.Restarted, "redis-1").At.Duration()
	between(t, "redis-1 is demoted", find(t, h, history.Demoted, "redis-1").At, back+demoteAfter, back+demoteAfter+400*time.Millisecond)
}

// Once the sentinels agree, their election goes on even when the primary answers again; before
// that, there is none.
func TestAnElectionIsNotTakenBack(t *testing.T) {
	for length, want := range map[string][]string{"900ms": nil, "1300ms": {"redis-2 promoted"}} {
		_, got := playEvents(t, busy(t, "set-nx-lua", "clients=[A]", "at: 2s, partition: [redis-1, sentinels], for: "+length), history.Promoted)
		expectLines(t, got, want...)
	}
}

// Sentinels that reach no replica try again after twice their timeout.
func TestSentinelsTryAgainLater(t *testing.T) {
	p := busy(t, "set-nx-lua", "clients=[A]", "at: 2s, partition: [redis-1, sentinels], for: 1m",
		"at: 2s, partition: [[redis-2, redis-3, redis-4], sentinels], for: 3s")
	h := play(t, p)
	again := 2*time.Second + p.Redis.Failover.DownAfter + 2*timeout + p.Redis.Failover.Election
	between(t, "redis-2 is promoted", find(t, h, history.Promoted, "redis-2").At, again, again+400*time.Millisecond)
}

// A client sends its requests to the primary that the sentinels name, even if it cannot reach it.
func TestAClientBelievesTheSentinels(t *testing.T) {
	h := play(t, busy(t, "set-nx-lua", "at: 2s, partition: [redis-1, sentinels], for: 10s", "at: 2s, partition: [A, redis-2], for: 10s"))
	for _, e := range h.Events {
		if e.Kind == history.Sent && h.Name(e.Node) == "A" && h.Name(e.Peer) == "redis-2" && e.At < history.Instant(12*time.Second) {
			return
		}
	}
	t.Error("A sends nothing to redis-2, of which it has been told")
}

// A replica that is frozen copies nothing and confirms nothing.
func TestAFrozenReplicaConfirmsNothing(t *testing.T) {
	h := play(t, story(t, "set-wait", "clients=[A]", "servers.redis.replicas=1", "workload.wait=up to 1m",
		"at: 0s, pause: redis-2, for: 5s"))
	if got := find(t, h, history.Acquired, "A").At.Duration(); got < 5*time.Second {
		t.Errorf("A acquires at %v", got)
	}
}

// A replica keeps its data until its new primary has sent everything, which takes three round
// trips. Only then does the primary count it.
func TestResynchronizationTakesThreeRoundTrips(t *testing.T) {
	const heal, lag = 10 * time.Second, 500 * time.Millisecond
	parted := []string{"servers.redis.replicas=2", "servers.redis.lag=500ms", "workload.work=9s",
		"at: 2s, for: 8s, partition: [[A, redis-1, redis-2], [B, redis-3, sentinels]]"}
	h := play(t, busy(t, "set-nx-lua", parted...))
	led := heal + timeout
	between(t, "A's entry is forgotten", find(t, h, history.Forgotten, "redis-2").At, led+3*lag, led+3*lag+400*time.Millisecond)

	h = play(t, busy(t, "set-nx-minreplicas", parted...)) // whose new primary refuses without a replica
	demoted := heal + demoteAfter
	between(t, "B acquires", find(t, h, history.Acquired, "B").At, demoted+3*lag, demoted+3*lag+time.Second)
}
