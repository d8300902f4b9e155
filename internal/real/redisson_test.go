package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// tenth returns a plan of the lessons at --scale 0.1.
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
	wantEvents(t, h, 1, history.NotHeld, "A")
	for _, c := range p.Clients {
		wantEvents(t, h, 1, history.Acquired, c)
	}
}

// The work is a tenth longer than the lease, so without renewals B would get the lock before A is
// done. B is woken by a message, half a second before it would ask by itself.
func TestRedissonRenewsAndWakesOnRealServers(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"redisson-3.12.3", "redisson-fair", "redisson-fenced"} {
		t.Run(lock, func(t *testing.T) {
			h := run(t, tenth(t, 11*time.Second, "A", "B"), lock)
			wantOverlaps(t, h, 0)
			if n := len(renewals(h, "A")); n < 2 || n > 4 {
				t.Errorf("%d renewals in a lease and a tenth, want one every third", n)
			}
			released, acquired := once(t, h, history.Released, "A"), once(t, h, history.Acquired, "B")
			if waited := acquired.At.Sub(released.At); waited > 300*time.Millisecond {
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

// WAIT uses the connection of the script, so a replica confirms the entry, which survives a
// failover.
func TestRedissonWaitsForARealReplica(t *testing.T) {
	t.Parallel()
	p := tenth(t, 15*time.Second, "A", "B")
	p.Lease = 2 * time.Second // slavesSyncTimeout is a thirtieth of it, and WAIT is served every 10 ms
	p.Redis.Replicas = 1
	p.Redis.Failover.After = 50 * time.Millisecond
	fault(t, p, when(faults.Enters, "A", ""), "fail-over", "operator", 0, faults.End{})
	h := run(t, p, "redisson")
	once(t, h, history.Promoted, "redis-2")
	wantOverlaps(t, h, 0)
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
