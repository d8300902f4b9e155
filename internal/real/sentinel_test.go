package real_test

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// watched returns a plan with sentinels and replicas that are behind by longer than A
// needs to lose its primary. The work outlasts what a sentinel takes to promote.
func watched(replicas int, clients ...string) *plan.Plan {
	p := quick(clients...)
	p.Redis.Replicas, p.Redis.Lag = replicas, 150*time.Millisecond
	p.Redis.Failover.By, p.Redis.Failover.DownAfter = plan.BySentinel, 500*time.Millisecond
	p.Lease, p.Workload.Wait = 6*time.Second, 15*time.Second
	p.Workload.Work = plan.Range{Min: 3 * time.Second, Max: 3 * time.Second}
	return p
}

// The primary says OK, dies before its replica has heard of it, and the sentinels
// promote the replica. WAIT is the difference.
func TestSentinelsForgetALock(t *testing.T) {
	t.Parallel()
	for lock, want := range map[string]int{"set-nx-lua": 1, "set-wait-1of2": 0} {
		t.Run(lock, func(t *testing.T) {
			p := watched(2, "A", "B")
			fault(t, p, when(faults.InSection, "A", ""), "fail-over", "sentinel", 0, faults.End{})
			h := run(t, p, lock)
			promoted := find(h, history.Promoted, "")
			if len(promoted) != 1 || h.Name(promoted[0].Node) == "redis-1" {
				t.Fatalf("%d promotions", len(promoted))
			}
			crashed := find(h, history.Crashed, "redis-1")
			if len(crashed) != 1 || promoted[0].At < crashed[0].At {
				t.Error("redis-1 did not die before it was replaced")
			}
			if got := overlaps(h); got != want {
				t.Errorf("%d overlaps, want %d", got, want)
			}
			for _, name := range []string{"A", "B", "probe"} {
				if n := len(find(h, history.Acquired, name)); n != 1 {
					t.Errorf("%s acquired %d times, want once", name, n)
				}
			}
		})
	}
}

// A and the primary are alone; the sentinels on the other side promote, and B, which
// reaches them, hears of it. After the heal there is one primary, and A's entry is gone.
func TestSentinelsSplitABrain(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	p := watched(1, "A", "B")
	first := when(faults.AboutToSend, "A", faults.AnyCommand)
	sided(p, first, "partition", []string{"A", faults.ThePrimary}, []string{"B", faults.TheReplicas, faults.Sentinels}, faults.End{For: 4 * time.Second})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Promoted, "redis-2")) != 1 || len(find(h, history.Crashed, "")) != 0 {
		t.Fatal("redis-2 was not promoted once, or a process died")
	}
	if overlaps(h) != 1 {
		t.Errorf("%d overlaps, want one", overlaps(h))
	}
	for server, client := range map[string]string{"redis-1": "A", "redis-2": "B"} {
		granted := find(h, history.Granted, server)
		if len(granted) == 0 || h.Name(granted[0].Owner) != client {
			t.Errorf("%s did not grant the lock to %s first", server, client)
		}
	}
}

// A sentinel without a majority changes nothing.
func TestAMinorityOfSentinelsPromotesNobody(t *testing.T) {
	t.Parallel()
	realtest.SecondTier(t)
	p := watched(2, "A", "B")
	p.Lease = time.Second
	sided(p, when(faults.InSection, "A", ""), "partition", []string{faults.ThePrimary}, []string{"sentinel-1"}, faults.End{Forever: true})
	h := run(t, p, "watchdog-lua")
	if len(find(h, history.FaultBegan, "")) != 1 {
		t.Fatal("the partition did not begin")
	}
	if n := len(find(h, history.Promoted, "")); n != 0 || overlaps(h) != 0 {
		t.Errorf("%d promotions, %d overlaps", n, overlaps(h))
	}
}

// A primary that was replaced comes back as one, and is made a replica.
func TestAPrimaryComesBackToANewOne(t *testing.T) {
	t.Parallel()
	p := watched(1, "A", "B")
	p.Redis.Lag = 0
	restart(t, p, faults.ThePrimary, 3*time.Second)
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Promoted, "redis-2")) != 1 || len(find(h, history.Restarted, "redis-1")) != 1 {
		t.Fatal("redis-2 was not promoted, or redis-1 did not come back")
	}
	demoted := find(h, history.Demoted, "redis-1")
	if len(demoted) != 1 || h.Name(demoted[0].Peer) != "redis-2" {
		t.Errorf("redis-1 was made a replica %d times, want once", len(demoted))
	}
	if overlaps(h) != 0 {
		t.Errorf("%d overlaps, want none: the replica had everything", overlaps(h))
	}
}

// An operator stands beside the new primary. A replica beyond the cut goes on to confirm what
// the old one writes; when the cut is over it is told, and has to confirm for the new one.
func TestAnOperatorTellsOnlyWhomTheNewPrimaryReaches(t *testing.T) {
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
	if len(find(h, history.Promoted, "redis-2")) != 1 {
		t.Fatal("redis-2 was not promoted once")
	}
	healed := find(h, history.FaultEnded, "")[0].At
	promoted := find(h, history.Promoted, "redis-2")[0].At
	var before, after int
	for _, e := range find(h, history.Acquired, "A") {
		if e.At > promoted && e.At < healed {
			before++
		}
	}
	for _, e := range find(h, history.Acquired, "B") {
		if e.At < healed {
			t.Error("B's primary had a replica to confirm during the cut")
		}
		after++
	}
	if before < 2 || after == 0 {
		t.Errorf("A acquired %d times between promotion and heal, B %d times after it", before, after)
	}
}
