package real_test

import (
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

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
	if heir := h.Name(once(t, h, history.Promoted, "").Node); heir != server {
		t.Fatalf("%s was promoted, want %s", heir, server)
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
	if primary := h.Name(once(t, h, history.Demoted, "redis-2").Peer); primary != "redis-5" {
		t.Errorf("redis-2 was made a replica of %s, want redis-5", primary)
	}
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
