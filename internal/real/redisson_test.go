package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// tenth is a story of the lessons at a tenth of its length, as --scale 0.1 plays it.
func tenth(t *testing.T, work time.Duration, clients ...string) *plan.Plan {
	t.Helper()
	p := plan.Default()
	p.Name, p.Clients = "test", clients
	p.Workload.Work = plan.Range{Min: work, Max: work}
	scaled := p.Scaled(100_000)
	return &scaled
}

func TestAPauseLetsASecondClientIntoRedisson(t *testing.T) {
	t.Parallel()
	p := tenth(t, 8*time.Second, "A", "B", "C")
	trigger := when(faults.InSection, "A", "")
	trigger.After = 100 * time.Millisecond
	fault(t, p, trigger, "pause", "A", 0, faults.End{For: 1500 * time.Millisecond})
	h := run(t, p, "redisson-3.12.3")
	if overlaps(h) == 0 {
		t.Error("no overlap")
	}
	if len(find(h, history.NotHeld, "A")) != 1 {
		t.Error("A's release did not find its hold gone")
	}
	for _, c := range p.Clients {
		if len(find(h, history.Acquired, c)) != 1 {
			t.Errorf("%s did not acquire once", c)
		}
	}
}

// The lease is a second, the work a tenth more: without renewals B would be in
// before A is done. And B gets the lock by the message, half a second before it
// would ask by itself.
func TestRedissonRenewsAndWakesOnRealServers(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"redisson-3.12.3", "redisson-fair", "redisson-fenced"} {
		t.Run(lock, func(t *testing.T) {
			h := run(t, tenth(t, 11*time.Second, "A", "B"), lock)
			if n := overlaps(h); n != 0 {
				t.Errorf("%d overlaps", n)
			}
			if n := len(renewals(h, "A")); n < 2 || n > 4 {
				t.Errorf("%d renewals in a lease and a tenth, want one every third", n)
			}
			released, acquired := find(h, history.Released, "A"), find(h, history.Acquired, "B")
			if len(released) != 1 || len(acquired) != 1 {
				t.Fatal("A did not release once, or B did not acquire once")
			}
			if waited := acquired[0].At.Sub(released[0].At); waited > 300*time.Millisecond {
				t.Errorf("B came in %v after the release", waited)
			}
		})
	}
}

func renewals(h *history.History, client string) (out []history.Event) {
	for _, e := range find(h, history.Sent, client) {
		if strings.HasPrefix(h.Text(e.Text), "EVAL renew") {
			out = append(out, e)
		}
	}
	return out
}

// WAIT goes over the connection that the script came on: a replica confirms, and
// after a failover the lock is still there.
func TestRedissonWaitsForARealReplica(t *testing.T) {
	t.Parallel()
	p := tenth(t, 15*time.Second, "A", "B")
	p.Lease = 2 * time.Second // slavesSyncTimeout is a thirtieth of it, and WAIT is served every 10 ms
	p.Redis.Replicas = 1
	p.Redis.Failover.After = 50 * time.Millisecond
	fault(t, p, when(faults.Enters, "A", ""), "fail-over", "operator", 0, faults.End{})
	h := run(t, p, "redisson")
	if len(find(h, history.Promoted, "redis-2")) != 1 {
		t.Fatal("no fail-over")
	}
	if n := overlaps(h); n != 0 {
		t.Errorf("%d overlaps: the new primary did not know of A's lock", n)
	}
	confirmed := 0
	for _, e := range find(h, history.Replied, "A") {
		if e.Cause >= 0 && strings.HasPrefix(h.Text(h.Events[e.Cause].Text), "WAIT 1 ") && h.Text(e.Text) == "(integer) 1" {
			confirmed++
		}
	}
	if confirmed == 0 {
		t.Error("no replica confirmed anything")
	}
}

func TestARedissonReleaseThatIsSentAgainCountsTwice(t *testing.T) {
	t.Parallel()
	p := tenth(t, 12*time.Second, "A", "B")
	p.Workload.Nested = 1
	fault(t, p, when(faults.AboutToSend, "A", "unlock"), "drop", "reply", 0, faults.End{})
	h := run(t, p, "redisson-3.12.3")
	if overlaps(h) == 0 {
		t.Error("no overlap: A's entry outlived the second run of its inner release")
	}
}
