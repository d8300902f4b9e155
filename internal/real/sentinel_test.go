package real_test

import (
	"fmt"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// watched is a story for a lock with sentinels and a primary that fails before its replicas have the
// lock's entry. The work outlasts a promotion.
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
	if primary := h.Name(once(t, h, history.Demoted, "redis-1").Peer); primary != "redis-2" {
		t.Errorf("redis-1 was made a replica of %s, want redis-2", primary)
	}
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
