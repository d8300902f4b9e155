package sim

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/store/redis"
)

// sharded is a story of set-nx-lua on a cluster. The lock's key has slot 8718, so it is on redis-2,
// whose replica is redis-5.
func sharded(t *testing.T, more ...string) *plan.Plan {
	return story(t, "set-nx-lua", append([]string{"lease=60s", "workload={work: 30s, wait: up to 200s}",
		"servers.redis={cluster: {replicas: 1}, lag: 500ms}"}, more...)...)
}

// repliesOf returns the replies of a server to a client, without immediate repetitions.
func repliesOf(h *history.History, client, server string) []string {
	var out []string
	for _, e := range h.Events {
		if e.Kind == history.Healed {
			break
		}
		if e.Kind == history.Replied && h.Name(e.Node) == client && h.Name(e.Peer) == server {
			if text := h.Text(e.Text); len(out) == 0 || out[len(out)-1] != text {
				out = append(out, text)
			}
		}
	}
	return out
}

func TestAnElectedReplicaHasForgottenTheLock(t *testing.T) {
	h, got := playEvents(t, sharded(t, "when: A enters, crash: redis-2"),
		history.Crashed, history.Promoted, history.Demoted, history.Acquired)
	expectLines(t, got, "A acquired", "redis-2 crashed", "redis-5 promoted", "B acquired")
	must.Equalf(t, checker.Judge(h).Letter, checker.LetterV, "outcome")
	// Down after the node timeout, and half a second to one until the replica asks.
	after := find(t, h, history.Promoted, "redis-5").At.Sub(find(t, h, history.Crashed, "redis-2").At)
	if after < 5500*time.Millisecond || after > 6300*time.Millisecond {
		t.Errorf("promoted after %v", after)
	}
	expectLines(t, repliesOf(h, "B", "redis-3"),
		"(error) MOVED 8718 redis-2:6379", "(error) CLUSTERDOWN The cluster is down")
}

func TestAnotherShardsFailoverHarmsNoLock(t *testing.T) {
	h, got := playEvents(t, sharded(t, "when: A enters, crash: redis-1"),
		history.Crashed, history.Promoted, history.Acquired)
	expectLines(t, got, "A acquired", "redis-1 crashed", "redis-4 promoted", "B acquired")
	if j := checker.Judge(h); j.Letter == checker.LetterV {
		t.Error("two holders")
	}
	// cluster-require-full-coverage: meanwhile the lock's own shard refuses every request.
	expectLines(t, repliesOf(h, "B", "redis-2")[:3], "(nil)", "(error) CLUSTERDOWN The cluster is down", "(nil)")
}

func TestAPrimaryInAMinorityStopsAndComesBackAsAReplica(t *testing.T) {
	p := sharded(t, "locks=[watchdog-lua]", "when: A is about to send SET, for: 30s, "+
		"partition: [[A, redis-2], [B, redis-1, redis-3, redis-4, redis-5, redis-6]]")
	h, got := playEvents(t, p,
		history.Promoted, history.Demoted, history.Acquired, history.FaultEnded)
	expectLines(t, got[:3], "A acquired", "redis-5 promoted", "B acquired")
	healed := false
	for _, line := range got {
		healed = healed || strings.Contains(line, "fault-ended")
		if strings.Contains(line, "demoted") && !healed {
			t.Errorf("demoted before the heal:\n%s", strings.Join(got, "\n"))
		}
	}
	find(t, h, history.Demoted, "redis-2")
	// The watchdog's renewal at 20 s meets a primary that has stopped long before.
	if replies := repliesOf(h, "A", "redis-2"); replies[len(replies)-1] != "(error) CLUSTERDOWN The cluster is down" {
		t.Errorf("A was told %q", replies)
	}
}

func TestThereIsNoElectionWithoutAMajority(t *testing.T) {
	_, got := playEvents(t, sharded(t, "when: A enters, crash: redis-2", "when: A enters, crash: redis-3"), history.Promoted)
	expectLines(t, got)
}

func TestTheReplicaThatKnowsMoreIsElected(t *testing.T) {
	p := sharded(t, "servers.redis.cluster.replicas=2", // redis-5 and redis-8
		"at: 0s, partition: [redis-2, redis-5], for: 100s", "when: A enters, after: 3s, crash: redis-2")
	for seed := range uint64(10) {
		h := must.Get(Run(p, "set-nx-lua", seed+1))(t)
		find(t, h, history.Promoted, "redis-8")
		if j := checker.Judge(h); j.Letter == checker.LetterV {
			t.Errorf("seed %d: two holders, though redis-8 knew the lock", seed+1)
		}
	}
}

func TestAReturningPrimaryIsAReplica(t *testing.T) {
	h, got := playEvents(t, sharded(t, "servers.redis.lag=0s", "when: A enters, restart: redis-2, down: 10s"), history.Promoted, history.Restarted)
	expectLines(t, got, "redis-5 promoted", "redis-2 restarted")
	find(t, h, history.Replicated, "redis-2") // of what B and the probe do at redis-5
}

// A primary that restarts before the others notice stays a primary. It has lost its data, and
// serves two seconds later.
func TestAPrimaryThatIsBackAtOnceHasForgottenTheLock(t *testing.T) {
	h, got := playEvents(t, sharded(t, "when: A enters, restart: redis-2, down: 1s"),
		history.Promoted, history.Restarted, history.Acquired)
	expectLines(t, got, "A acquired", "redis-2 restarted", "B acquired")
	wait := find(t, h, history.Acquired, "B").At.Sub(find(t, h, history.Restarted, "redis-2").At)
	if wait < 2*time.Second || wait > 2500*time.Millisecond {
		t.Errorf("it serves %v after its start", wait)
	}
}

// The node timeout counts from the last message of a node.
func TestTwoShortPausesAreNoFailure(t *testing.T) {
	_, got := playEvents(t, sharded(t, "at: 1s, pause: redis-2, for: 3s", "at: 5s, pause: redis-2, for: 3s"),
		history.Froze, history.Promoted, history.Thawed)
	expectLines(t, got, "redis-2 froze", "redis-2 thawed", "redis-2 froze", "redis-2 thawed")
}

// TestAFrozenPrimaryIsReplaced: to the others a paused node is dead. After the pause it learns of
// its successor, which has everything that it had sent before.
func TestAFrozenPrimaryIsReplaced(t *testing.T) {
	h, got := playEvents(t, sharded(t, "when: A enters, pause: redis-2, for: 12s"),
		history.Froze, history.Promoted, history.Thawed, history.Demoted)
	expectLines(t, got, "redis-2 froze", "redis-5 promoted", "redis-2 thawed", "redis-2 demoted")
	if j := checker.Judge(h); j.Letter == checker.LetterV {
		t.Error("two holders, though redis-5 knew the lock")
	}
}

// TestWhichLocksAClusterTakes compares Servers.NoCluster with the commands that each lock sends: a
// cluster refuses keys of several slots, and a lock may not need a certain connection.
func TestWhichLocksAClusterTakes(t *testing.T) {
	for _, v := range locks.Simulated() {
		if v.Store != locks.StoreRedis {
			continue
		}
		p := sharded(t, "workload.work=1s")
		why := v.CheckCluster()
		v.Servers.NoCluster = ""
		h, err := PlayVariant(context.Background(), p, v, 1)
		if err != nil {
			t.Fatal(v.ID, err)
		}
		refused := false
		for _, e := range h.Events {
			text := h.Text(e.Text)
			refused = refused || e.Kind == history.Replied && strings.Contains(text, "CROSSSLOT") ||
				e.Kind == history.Sent && (strings.HasPrefix(text, "SUBSCRIBE") || strings.HasPrefix(text, "WAIT"))
		}
		if refused != (why != nil) {
			t.Errorf("%s: a cluster refuses its commands: %v, and Servers.NoCluster says: %v (keysApart or bindsToServer, \"\" for a lock that a cluster takes)", v.ID, refused, why)
		}
	}
}

func TestShardsHaveTheSlotsThatRedisCLIGivesThem(t *testing.T) {
	want := []int{0, 5461, 10923} // redis-cli --cluster create, three primaries
	for shard, slot := range want {
		must.Equalf(t, firstSlot(shard, 3), slot, "shard %d begins at", shard)
	}
	must.Equalf(t, redis.KeySlot(locks.Key), 8718,
		"the tests and the scenario take the slot of the lock's key for 8718")
}

// Skipping the looks that change nothing does not change the history.
func TestNodesThatAgreeNeedNotLook(t *testing.T) {
	direct, always := New(), New()
	always.alwaysLook = true
	defer direct.Close()
	defer always.Close()
	others := map[string]string{
		"redis-2": "[redis-1, redis-3, redis-4, redis-5, redis-6]", "redis-5": "[redis-1, redis-2, redis-3, redis-4, redis-6]",
	}
	promoted, down := 0, 0
	for server, rest := range others { // order: each on its own
		for begin := time.Second; begin < 1200*time.Millisecond; begin += 30 * time.Millisecond {
			at := fmt.Sprintf("at: %v, ", begin)
			for _, list := range [][]string{
				{at + "crash: " + server},
				{at + "pause: " + server + ", for: 40ms"},
				{at + "pause: " + server + ", for: 30s"},
				{at + "restart: " + server + ", down: 20ms"},
				{at + "partition: [" + server + ", " + rest + "], for: 20s"},
				{at + "crash: redis-2", fmt.Sprintf("at: %v, partition: [redis-5, %s], for: 5s", begin+10*time.Second, others["redis-5"])},
			} {
				p := sharded(t, list...)
				a := must.Get(direct.Run(p, "set-nx-lua", 1))(t)
				b := must.Get(always.Run(p, "set-nx-lua", 1))(t)
				must.Equalf(t, a.Hash(), b.Hash(), "%s: another history", list)
				promoted += count(b, history.Promoted, "")
				for _, e := range b.Events {
					if e.Kind == history.Replied && b.Text(e.Text) == "(error) "+string(errClusterDown) {
						down++
					}
				}
			}
		}
	}
	if promoted < 20 || down < 100 {
		t.Errorf("%d promotions and %d refusals of a cluster that is down: nothing was compared", promoted, down)
	}
}
