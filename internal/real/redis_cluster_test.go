package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
)

// sharded returns a plan with a cluster whose replicas are behind by longer than A
// needs to lose its primary. The lock's key has slot 8718: it is on redis-2, whose
// replica is redis-5. The work outlasts an election.
func sharded(clients ...string) *plan.Plan {
	p := quick(clients...)
	p.Redis.Cluster = plan.RedisCluster{Shards: 3, Replicas: 1, NodeTimeout: 500 * time.Millisecond}
	p.Redis.Lag = 150 * time.Millisecond
	p.Lease, p.Workload.Wait = 8*time.Second, 20*time.Second
	p.Workload.Work = plan.Range{Min: 4 * time.Second, Max: 4 * time.Second}
	return p
}

func served(h *history.History, client, prefix string) int {
	count := 0
	for _, e := range find(h, history.Replied, client) {
		if strings.HasPrefix(h.Text(e.Text), prefix) {
			count++
		}
	}
	return count
}

// The primary says OK, dies before its replica has heard of it, and the other
// primaries elect the replica. Clients are redirected to it.
func TestAClusterForgetsALock(t *testing.T) {
	t.Parallel()
	p := sharded("A", "B")
	fault(t, p, when(faults.InSection, "A", ""), "crash", faults.ThePrimary, 0, faults.End{})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Crashed, "redis-2")) != 1 || len(find(h, history.Promoted, "redis-5")) != 1 || len(find(h, history.Promoted, "")) != 1 {
		t.Fatal("redis-2 did not die once, or redis-5 did not take its place")
	}
	if overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
	for server, client := range map[string]string{"redis-2": "A", "redis-5": "B"} {
		granted := find(h, history.Granted, server)
		if len(granted) == 0 || h.Name(granted[0].Owner) != client {
			t.Errorf("%s did not grant the lock to %s first", server, client)
		}
	}
	if served(h, "B", "(error) MOVED 8718 redis-") == 0 || served(h, "B", "(error) CLUSTERDOWN ") == 0 {
		t.Error("B was never redirected, or the cluster was never down")
	}
}

// Another shard's primary dies: for a while no client is served, and no lock is lost.
func TestAnotherShardsDeathHarmsNoLock(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	p := sharded("A", "B")
	fault(t, p, when(faults.InSection, "A", ""), "crash", "redis-1", 0, faults.End{})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Promoted, "redis-4")) != 1 || len(find(h, history.Promoted, "")) != 1 {
		t.Fatal("redis-4 did not take the place of redis-1")
	}
	if served(h, "B", "(error) CLUSTERDOWN ") == 0 {
		t.Error("the cluster was never down")
	}
	if overlaps(h) != 0 || len(find(h, history.Acquired, "B")) != 1 {
		t.Errorf("%d overlaps, B acquired %d times", overlaps(h), len(find(h, history.Acquired, "B")))
	}
}

// A is alone with the primary: that one stops to serve, the others elect, and after
// the heal it is a replica.
func TestAPrimaryInAMinorityStops(t *testing.T) {
	t.Parallel()
	p := sharded("A", "B")
	first := when(faults.AboutToSend, "A", faults.AnyCommand)
	others := []string{"B", "redis-1", "redis-3", "redis-4", "redis-5", "redis-6"}
	sided(p, first, "partition", []string{"A", faults.ThePrimary}, others, faults.End{For: 4500 * time.Millisecond}) // until A has tried to release
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Promoted, "redis-5")) != 1 || len(find(h, history.Crashed, "")) != 0 {
		t.Fatal("redis-5 was not promoted once, or a process died")
	}
	if demoted := find(h, history.Demoted, "redis-2"); len(demoted) != 1 || h.Name(demoted[0].Peer) != "redis-5" {
		t.Errorf("redis-2 was made a replica %d times, want once", len(demoted))
	}
	if overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
	if served(h, "A", "(error) CLUSTERDOWN ") == 0 {
		t.Error("A's release was served by a primary in a minority")
	}
}

// A frozen primary is replaced, and wakes up to be a replica. What it had sent before
// has reached its successor, so no client is let in.
func TestAFrozenPrimaryOfAClusterIsReplaced(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	p := sharded("A", "B")
	trigger := when(faults.InSection, "A", "")
	trigger.After = time.Second
	fault(t, p, trigger, "pause", faults.ThePrimary, 0, faults.End{For: 4 * time.Second})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Promoted, "redis-5")) != 1 || len(find(h, history.Demoted, "redis-2")) != 1 {
		t.Fatal("redis-5 was not promoted, or redis-2 is no replica")
	}
	if overlaps(h) != 0 {
		t.Errorf("%d overlaps, want none: the replica had everything", overlaps(h))
	}
}

func TestWhatOfAClusterIsRefused(t *testing.T) {
	for want, change := range map[string]func(*plan.Plan) (lock string, o real.Options){
		"cannot be played on a Redis Cluster": func(*plan.Plan) (string, real.Options) { return "redisson", real.Options{} },
		"is too short for real nodes": func(p *plan.Plan) (string, real.Options) {
			p.Redis.Cluster.NodeTimeout = 100 * time.Millisecond
			return "set-nx-lua", real.Options{}
		},
		"docker-compose.yml has no Redis Cluster: use --backend docker": func(*plan.Plan) (string, real.Options) {
			return "set-nx-lua", real.Options{Backend: real.ComposeBackend}
		},
	} {
		p := sharded("A", "B")
		lock, o := change(p)
		if err := real.Refuse(p, lock, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
