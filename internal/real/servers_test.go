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

// sided adds a fault between two sides.
func sided(p *plan.Plan, when faults.Trigger, verb string, a, b []string, end faults.End) {
	spec, _ := faults.Lookup(verb)
	p.Faults = append(p.Faults, faults.Make(len(p.Faults)+1, spec, faults.Args{Sides: [][]string{a, b}}, when, end))
}

// restart adds a fault that kills a process and starts it again.
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
	wantOverlaps(t, h, 0)
	for _, c := range p.Clients {
		wantEvents(t, h, 1, history.Acquired, c)
	}
	for _, server := range []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"} {
		wantSome(t, h, history.Granted, server)
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
			once(t, h, history.Restarted, "redis-1")
			wantOverlaps(t, h, want)
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

// twoPrimaries demands a promotion, an overlap, and grants by both servers.
func twoPrimaries(t *testing.T, h *history.History, old, heir string) {
	t.Helper()
	once(t, h, history.Promoted, heir)
	if overlaps(h) == 0 {
		t.Error("no overlap")
	}
	wantSome(t, h, history.Granted, old)
	wantSome(t, h, history.Granted, heir)
}

// A stays with the primary that it reaches, and B goes to the new one.
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
	twoPrimaries(t, h, "redis-1", "redis-2")
	wantEvents(t, h, 1, history.Acquired, "probe")
}

// The old primary does not learn that its replica was promoted: it still counts the replica, and
// waits for it until a timeout. The model has the same test.
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
	promoted := once(t, h, history.Promoted, "redis-2")
	asked := 0
	for _, e := range find(h, history.Replied, "A") {
		if said := h.Text(e.Text); h.Name(e.Peer) == "redis-1" && e.At > promoted.At && strings.Contains(said, "role:") {
			if asked++; !strings.Contains(said, "connected_slaves:1") {
				t.Errorf("at %v the old primary says %s", e.At, said)
			}
		}
	}
	if got := find(h, history.Acquired, "A"); asked == 0 || len(got) == 0 || got[0].At < promoted.At+history.Instant(2*time.Second) {
		t.Errorf("%d answers; A acquired %v, promoted %v", asked, got, promoted)
	}
}

// No client may wait for a link that holds bytes of a dead server.
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
	wantEvents(t, h, 1, history.Crashed, "redis-1")
	wantEvents(t, h, 1, history.GaveUp, "probe")
}

// The log of a server includes its restart, and outlives the run.
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
		t.Errorf("the log has %d starts, want 2 with the restart:\n%s", n, log)
	}
}
