package real_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
)

// sided makes a fault that parts two sides.
func sided(p *plan.Plan, when faults.Trigger, verb string, a, b []string, end faults.End) {
	spec, _ := faults.Lookup(verb)
	p.Faults = append(p.Faults, faults.Make(len(p.Faults)+1, spec, faults.Args{Sides: [][]string{a, b}}, when, end))
}

// restart makes the fault that kills a process and starts it again.
func restart(t *testing.T, p *plan.Plan, node string, down time.Duration) {
	t.Helper()
	restartAt(p, when(faults.InSection, "A", ""), node, down)
}

func restartAt(p *plan.Plan, at faults.Trigger, node string, down time.Duration) {
	spec, _ := faults.Lookup("restart")
	p.Faults = append(p.Faults, faults.Make(len(p.Faults)+1, spec,
		faults.Args{Value: node, Durations: map[string]time.Duration{"down": down}}, at, faults.End{}))
}

func TestAMajorityOfNodes(t *testing.T) {
	t.Parallel()
	p := quick("A", "B")
	fault(t, p, when(faults.InSection, "A", ""), "crash", "redis-2", 0, faults.End{})
	h := run(t, p, "redlock")
	if n := overlaps(h); n != 0 {
		t.Errorf("%d overlaps", n)
	}
	for _, c := range p.Clients {
		if len(find(h, history.Acquired, c)) != 1 {
			t.Errorf("%s did not acquire once", c)
		}
	}
	for _, server := range []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"} {
		if len(find(h, history.Granted, server)) == 0 {
			t.Errorf("%s granted nothing", server)
		}
	}
}

func TestAServerWithoutADiskComesBackEmpty(t *testing.T) {
	t.Parallel()
	for persistence, want := range map[string]int{plan.PersistNone: 1, plan.PersistEverySecond: 0, plan.PersistAlways: 0} {
		t.Run(persistence, func(t *testing.T) {
			p := quick("A", "B")
			p.Redis.Persistence = persistence
			p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
			restart(t, p, faults.ThePrimary, 50*time.Millisecond)
			h := run(t, p, "set-nx-lua")
			if n := len(find(h, history.Restarted, "redis-1")); n != 1 {
				t.Fatalf("redis-1 was started again %d times", n)
			}
			if n := overlaps(h); n != want {
				t.Errorf("%d overlaps, want %d", n, want)
			}
			forgotten := find(h, history.Forgotten, "redis-1")
			if len(forgotten) != want {
				t.Fatalf("forgotten %d times, want %d", len(forgotten), want)
			}
			if want == 1 && h.Name(forgotten[0].Owner) != "A" {
				t.Errorf("the entry of %s was forgotten, want A's", h.Name(forgotten[0].Owner))
			}
		})
	}
}

// A stays with the primary that it can reach, B goes to the new one.
func TestTwoPrimariesByHand(t *testing.T) {
	t.Parallel()
	p := quick("A", "B")
	p.Redis.Replicas = 2
	p.Workload.Work = plan.Range{Min: 600 * time.Millisecond, Max: 600 * time.Millisecond}
	p.Workload.Stagger = 100 * time.Millisecond
	first := when(faults.AboutToSend, "A", faults.AnyCommand)
	sided(p, first, "partition", []string{"A", "redis-1"}, []string{"B", faults.TheReplicas}, faults.End{For: 1500 * time.Millisecond})
	first.After = 50 * time.Millisecond
	fault(t, p, first, "promote", "replica", 0, faults.End{})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Promoted, "redis-2")) != 1 || overlaps(h) == 0 {
		t.Error("no promotion, or no overlap")
	}
	if len(find(h, history.Granted, "redis-1")) == 0 || len(find(h, history.Granted, "redis-2")) == 0 {
		t.Error("not both primaries granted the lock")
	}
	if n := len(find(h, history.Acquired, "probe")); n != 1 {
		t.Errorf("the probe acquired %d times, want once", n)
	}
}

// The replica was promoted, and the primary that it left is not told: it still counts it,
// and waits for it in vain. The model has the same test.
func TestACutOffPrimaryStillCountsTheReplicaThatLeft(t *testing.T) {
	t.Parallel()
	p := quick("A", "B")
	p.Redis.Replicas = 1
	p.Lease, p.Workload.Wait = time.Second, 10*time.Second
	first := when(faults.AboutToSend, "A", faults.AnyCommand)
	sided(p, first, "partition", []string{"A", "redis-1"}, []string{"B", faults.TheReplicas}, faults.End{For: 3 * time.Second})
	first.After = 50 * time.Millisecond
	fault(t, p, first, "promote", "replica", 0, faults.End{})
	h := run(t, p, "redisson")
	promoted := find(h, history.Promoted, "redis-2")
	if len(promoted) != 1 {
		t.Fatalf("redis-2 was promoted %d times, want once", len(promoted))
	}
	asked := 0
	for _, e := range find(h, history.Replied, "A") {
		if said := h.Text(e.Text); h.Name(e.Peer) == "redis-1" && e.At > promoted[0].At && strings.Contains(said, "role:") {
			if asked++; !strings.Contains(said, "connected_slaves:1") {
				t.Errorf("at %v the old primary says %s", e.At, said)
			}
		}
	}
	if got := find(h, history.Acquired, "A"); asked == 0 || len(got) == 0 || got[0].At < promoted[0].At+history.Instant(2*time.Second) {
		t.Errorf("%d answers; A acquired %v, promoted %v", asked, got, promoted)
	}
}

// No client may wait for a link that holds bytes of a server that is gone.
func TestAServerDiesBehindAPartition(t *testing.T) {
	t.Parallel()
	p := quick("A", "B")
	p.Redis.Replicas = 1
	p.Workload.Wait, p.Lease = 500*time.Millisecond, 200*time.Millisecond
	sided(p, when(faults.InSection, "A", ""), "partition", []string{"A", "B", "redis-2"}, []string{"redis-1"}, faults.End{Forever: true})
	trigger := when(faults.InSection, "A", "")
	trigger.After = 20 * time.Millisecond
	fault(t, p, trigger, "crash", "redis-1", 0, faults.End{})
	h := run(t, p, "set-nx-lua")
	if len(find(h, history.Crashed, "redis-1")) != 1 || len(find(h, history.GaveUp, "probe")) != 1 {
		t.Error("redis-1 did not die, or the probe found a server")
	}
}

// The log of a server goes on over its restart, and outlives the run.
func TestLogsOutliveTheRun(t *testing.T) {
	realtest.Need(t, "redis-server")
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
	restart(t, p, faults.ThePrimary, 50*time.Millisecond)
	player := &real.Player{}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := player.Play(ctx, p, "set-nx-lua", 1); err != nil {
		t.Fatal(err)
	}
	log := player.Logs()["redis-1"]
	if n := bytes.Count(log, []byte("Ready to accept connections")); n < 2 {
		t.Errorf("the log tells of %d starts, and there was a restart:\n%s", n, log)
	}
}
