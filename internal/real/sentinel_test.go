package real_test

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// watched returns a plan with sentinels and a primary that fails before its replicas have the
// lock's entry. The work outlasts a promotion.
func watched(replicas int, clients ...string) *plan.Plan {
	p := quick(clients...)
	p.Redis.Replicas, p.Redis.Lag = replicas, 150*time.Millisecond
	p.Redis.Failover.By, p.Redis.Failover.DownAfter = plan.BySentinel, 500*time.Millisecond
	p.Lease, p.Workload.Wait = 6*time.Second, 15*time.Second
	p.Workload.Work = plan.Range{Min: 3 * time.Second, Max: 3 * time.Second}
	return p
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
			p := watched(2, "A", "B")
			fault(t, p, when(faults.InSection, "A", ""), "fail-over", "sentinel", 0, faults.End{})
			h := run(t, p, lock)
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
	p := watched(1, "A", "B")
	first := when(faults.AboutToSend, "A", faults.AnyCommand)
	sided(p, first, "partition", []string{"A", faults.ThePrimary}, []string{"B", faults.TheReplicas, faults.Sentinels}, faults.End{For: 4 * time.Second})
	h := run(t, p, "set-nx-lua")
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
	p := watched(2, "A", "B")
	p.Lease = time.Second
	sided(p, when(faults.InSection, "A", ""), "partition", []string{faults.ThePrimary}, []string{"sentinel-1"}, faults.End{Forever: true})
	h := run(t, p, "watchdog-lua")
	once(t, h, history.FaultBegan, "")
	wantEvents(t, h, 0, history.Promoted, "")
	wantOverlaps(t, h, 0)
}

// A replaced primary restarts as a primary, and is made a replica.
func TestAReplacedPrimaryIsDemoted(t *testing.T) {
	t.Parallel()
	p := watched(1, "A", "B")
	p.Redis.Lag = 0
	restart(t, p, faults.ThePrimary, 3*time.Second)
	h := run(t, p, "set-nx-lua")
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
	p := quick("A", "B")
	p.Redis.Replicas = 2
	p.Lease, p.Workload.Wait = 4*time.Second, 20*time.Second
	p.Workload.Work, p.Workload.Repeat = plan.Range{Min: 500 * time.Millisecond, Max: 500 * time.Millisecond}, 6
	first := when(faults.AboutToSend, "A", faults.AnyCommand)
	sided(p, first, "partition", []string{"A", "redis-1", "redis-3"}, []string{"B", "redis-2"}, faults.End{For: 5 * time.Second})
	later := first
	later.After = 500 * time.Millisecond
	fault(t, p, later, "promote", "replica", 0, faults.End{})
	h := run(t, p, "set-wait")
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
