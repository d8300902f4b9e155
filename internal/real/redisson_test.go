package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
)

// tenth is a story for a lock at --scale 0.1.
func tenth(t *testing.T, lock string, more ...string) *plan.Plan {
	t.Helper()
	p := scenariotest.Story(t, lock, append([]string{"workload.wait=up to 60s"}, more...)...).Scaled(100_000)
	return &p
}

func TestAPauseLetsASecondClientIntoRedisson(t *testing.T) {
	t.Parallel()
	p := tenth(t, "redisson-3.12.3", "clients=[A, B, C]", "workload.work=8s", inSection+"after: 1s, pause: A, for: 15s")
	h := run(t, p)
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
			h := run(t, tenth(t, lock, "workload.work=11s"))
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
	h := run(t, tenth(t, "redisson", "workload.work=15s", "servers.redis={replicas: 1, failover: {after: 500ms}}",
		"lease=20s", // slavesSyncTimeout is a thirtieth of it, and WAIT is served every 10 ms
		enters+"fail-over: operator"))
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
	h := run(t, tenth(t, "redisson-3.12.3", "workload.work=12s", "workload.nested=1", "when: A is about to send unlock, drop: reply"))
	if overlaps(h) == 0 {
		t.Error("no overlap: A's entry outlived the second run of its inner release")
	}
}
