package real_test

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// watched is a story for a lock with sentinels and a primary that fails before its replicas have
// the lock's entry. The work outlasts a promotion.
func watched(t *testing.T, lock string, replicas int, more ...string) *plan.Plan {
	t.Helper()
	return quick(t, lock, append([]string{"lease=6s", "workload.wait=up to 15s", "workload.work=3s",
		fmt.Sprintf("servers.redis={replicas: %d, lag: 150ms, failover: {by: sentinel, down-after: 500ms}}", replicas)}, more...)...)
}

// The primary grants the lock and dies before its replica has the entry, and the sentinels promote
// the replica. Only a lock with WAIT survives.
func TestSentinelsForgetALock(t *testing.T) {
	t.Parallel()
	for lock, want := range map[string]int{"set-nx-lua": 1, "set-wait-1of2": 0} {
		t.Run(lock, func(t *testing.T) {
			if want == 0 {
				realtest.SecondTier(t)
			}
			h := run(t, watched(t, lock, 2, inSection+"fail-over: sentinel"))
			promoted, crashed := once(t, h, history.Promoted, ""), once(t, h, history.Crashed, "redis-1")
			if h.Name(promoted.Node) == "redis-1" || promoted.At < crashed.At {
				t.Error("redis-1 was promoted, or did not die before it was replaced")
			}
			wantOverlaps(t, h, want)
			for _, name := range []string{"A", "B", "probe"} {
				wantEvents(t, h, 1, history.Acquired, name)
			}
		})
	}
}

// A partition separates A and the primary from the sentinels, which promote the replica, and from
// B, which follows them. After the heal there is one primary, and A's entry is gone.
func TestSentinelsSplitABrain(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	h := run(t, watched(t, "set-nx-lua", 1, asks+"partition: [[A, the primary], [B, replicas, sentinels]], for: 4s"))
	once(t, h, history.Promoted, "redis-2")
	wantEvents(t, h, 0, history.Crashed, "")
	wantOverlaps(t, h, 1)
	grantedFirst(t, h, "redis-1", "A")
	grantedFirst(t, h, "redis-2", "B")
}

// One sentinel of three that loses the primary changes nothing.
func TestAMinorityOfSentinelsPromotesNoReplica(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	h := run(t, watched(t, "watchdog-lua", 2, "lease=1s", inSection+"partition: [the primary, sentinel-1], forever: true"))
	once(t, h, history.FaultBegan, "")
	wantEvents(t, h, 0, history.Promoted, "")
	wantOverlaps(t, h, 0)
}

// A replaced primary restarts as a primary, and is made a replica.
func TestAReplacedPrimaryIsDemoted(t *testing.T) {
	t.Parallel()
	h := run(t, watched(t, "set-nx-lua", 1, "servers.redis.lag=0s", inSection+"restart: the primary, down: 3s"))
	once(t, h, history.Promoted, "redis-2")
	once(t, h, history.Restarted, "redis-1")
	must.Equalf(t, h.Name(once(t, h, history.Demoted, "redis-1").Peer), "redis-2",
		"redis-1 was made a replica of")
	wantOverlaps(t, h, 0)
}

// An operator is on the side of the new primary. A replica on the other side confirms the writes of
// the old primary until the heal, and then those of the new one.
func TestAnOperatorReachesOnlyTheSideOfTheNewPrimary(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-wait", "lease=4s", "servers.redis.replicas=2", "workload.wait=up to 20s", "workload.work=500ms", "workload.repeat=6 times",
		asks+"partition: [[A, redis-1, redis-3], [B, redis-2]], for: 5s", asks+"after: 500ms, promote: replica"))
	healed := find(h, history.FaultEnded, "")[0].At
	promoted := once(t, h, history.Promoted, "redis-2").At
	var before, after int
	for _, e := range find(h, history.Acquired, "A") {
		if e.At > promoted && e.At < healed {
			before++
		}
	}
	for _, e := range find(h, history.Acquired, "B") {
		if e.At < healed {
			t.Error("a replica confirmed a write of B during the partition")
		}
		after++
	}
	if before < 2 || after == 0 {
		t.Errorf("A acquired %d times between promotion and heal, B %d times after it", before, after)
	}
}

// sharded is a story of set-nx-lua on a cluster whose primary fails before its replicas have the
// lock's entry. The key is in slot 8718: on redis-2, whose replica is redis-5. The work outlasts an
// election.
func sharded(t *testing.T, more ...string) *plan.Plan {
	t.Helper()
	return quick(t, "set-nx-lua", append([]string{"lease=8s", "workload.wait=up to 20s", "workload.work=4s",
		"servers.redis={cluster: {replicas: 1, node-timeout: 500ms}, lag: 150ms}"}, more...)...)
}

// failedOverTo demands that a server, and no other one, was promoted.
func failedOverTo(t *testing.T, h *history.History, server string) {
	t.Helper()
	if promoted := h.Name(once(t, h, history.Promoted, "").Node); promoted != server {
		t.Fatalf("%s was promoted, want %s", promoted, server)
	}
}

// grantedFirst demands that a server granted the lock to a client before others.
func grantedFirst(t *testing.T, h *history.History, server, client string) {
	t.Helper()
	if granted := find(h, history.Granted, server); len(granted) == 0 || h.Name(granted[0].Owner) != client {
		t.Errorf("%s did not grant the lock to %s first", server, client)
	}
}

// served counts the replies to a client with a prefix.
func served(h *history.History, client, prefix string) int {
	count := 0
	for _, e := range find(h, history.Replied, client) {
		if strings.HasPrefix(h.Text(e.Text), prefix) {
			count++
		}
	}
	return count
}

// The primary grants the lock and dies before its replica has the entry. The other primaries elect
// the replica, and redirect clients to it.
func TestAClusterForgetsALock(t *testing.T) {
	t.Parallel()
	h := run(t, sharded(t, inSection+"crash: the primary"))
	once(t, h, history.Crashed, "redis-2")
	failedOverTo(t, h, "redis-5")
	wantOverlaps(t, h, 1)
	grantedFirst(t, h, "redis-2", "A")
	grantedFirst(t, h, "redis-5", "B")
	if served(h, "B", "(error) MOVED 8718 redis-") == 0 || served(h, "B", "(error) CLUSTERDOWN ") == 0 {
		t.Error("B was never redirected, or the cluster was never down")
	}
}

// When another shard's primary dies, no client is served for a while, and no lock is lost.
func TestAnotherShardsDeathHarmsNoLock(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	h := run(t, sharded(t, inSection+"crash: redis-1"))
	failedOverTo(t, h, "redis-4")
	if served(h, "B", "(error) CLUSTERDOWN ") == 0 {
		t.Error("the cluster was never down")
	}
	wantOverlaps(t, h, 0)
	wantEvents(t, h, 1, history.Acquired, "B")
}

// A primary that is cut off from the others, with A, stops serving. The others elect a new one, and
// after the heal the old one is a replica.
func TestAPrimaryInAMinorityStops(t *testing.T) {
	t.Parallel()
	h := run(t, sharded(t, asks+"for: 4500ms, "+ // until A has tried to release
		"partition: [[A, the primary], [B, redis-1, redis-3, redis-4, redis-5, redis-6]]"))
	once(t, h, history.Promoted, "redis-5")
	wantEvents(t, h, 0, history.Crashed, "")
	must.Equalf(t, h.Name(once(t, h, history.Demoted, "redis-2").Peer), "redis-5",
		"redis-2 was made a replica of")
	wantOverlaps(t, h, 1)
	if served(h, "A", "(error) CLUSTERDOWN ") == 0 {
		t.Error("A's release was served by a primary in a minority")
	}
}

// A frozen primary is replaced, and is a replica after the thaw. Its replica has the lock's entry,
// so no other client gets the lock.
func TestAFrozenPrimaryOfAClusterIsReplaced(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	h := run(t, sharded(t, inSection+"after: 1s, pause: the primary, for: 4s"))
	once(t, h, history.Promoted, "redis-5")
	once(t, h, history.Demoted, "redis-2")
	wantOverlaps(t, h, 0)
}
