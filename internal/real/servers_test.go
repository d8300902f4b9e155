package real_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
)

func TestAMajorityOfNodes(t *testing.T) {
	t.Parallel()
	p := quick(t, "redlock", inSection+"crash: redis-2")
	h := run(t, p)
	wantOverlaps(t, h, 0)
	for _, c := range p.Clients {
		wantEvents(t, h, 1, history.Acquired, c)
	}
	once(t, h, history.Crashed, "redis-2") // its grant may come too late for the majority, and for it
	for _, server := range []string{"redis-1", "redis-3", "redis-4", "redis-5"} {
		wantSome(t, h, history.Granted, server)
	}
}

func TestAServerWithoutADiskComesBackEmpty(t *testing.T) {
	t.Parallel()
	for persistence, want := range map[string]int{plan.PersistNone: 1, plan.PersistEverySecond: 0, plan.PersistAlways: 0} {
		t.Run(persistence, func(t *testing.T) {
			h := run(t, quick(t, "set-nx-lua", "servers.redis.persistence="+persistence, "workload.work=700ms",
				inSection+"restart: the primary, down: 50ms"))
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
func twoPrimaries(t *testing.T, h *history.History, old, successor string) {
	t.Helper()
	once(t, h, history.Promoted, successor)
	if overlaps(h) == 0 {
		t.Error("no overlap")
	}
	wantSome(t, h, history.Granted, old)
	wantSome(t, h, history.Granted, successor)
}

// A stays with the primary that it reaches, and B goes to the new one.
func TestTwoPrimariesByHand(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "servers.redis.replicas=2", "workload.work=600ms", "workload.stagger=100ms",
		asks+"partition: [[A, redis-1], [B, replicas]], for: 1500ms", asks+"after: 50ms, promote: replica"))
	twoPrimaries(t, h, "redis-1", "redis-2")
	wantEvents(t, h, 1, history.Acquired, "probe")
}

// The old primary does not learn that its replica was promoted: it still counts the replica, and
// waits for it until a timeout. The model has the same test.
func TestACutOffPrimaryStillCountsTheReplicaThatLeft(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "redisson", "servers.redis.replicas=1", "workload.wait=up to 10s",
		asks+"partition: [[A, redis-1], [B, replicas]], for: 3s", asks+"after: 50ms, promote: replica"))
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
	h := run(t, quick(t, "set-nx-lua", "lease=200ms", "servers.redis.replicas=1", "workload.wait=up to 500ms",
		inSection+"partition: [[A, B, redis-2], redis-1], forever: true", inSection+"after: 20ms, crash: redis-1"))
	wantEvents(t, h, 1, history.Crashed, "redis-1")
	wantEvents(t, h, 1, history.GaveUp, "probe")
}

// The log of a server includes its restart, and outlives the run.
func TestLogsOutliveTheRun(t *testing.T) {
	realtest.Need(t, "redis-server")
	p := quick(t, "set-nx-lua", "workload.work=700ms", inSection+"restart: the primary, down: 50ms")
	player := &real.Player{}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	must.Get(player.Play(ctx, p, "set-nx-lua", 1))(t)
	log := player.Logs()["redis-1"]
	if n := bytes.Count(log, []byte("Ready to accept connections")); n < 2 {
		t.Errorf("the log has %d starts, want 2 with the restart:\n%s", n, log)
	}
}

// A replica that is refused by its primary tries again after a second of its clock. So while its
// primary is down it has to wait, and to be connected as soon as the primary is up.
func TestAReplicaWaitsForItsPrimary(t *testing.T) {
	realtest.Need(t, "redis-server")
	p := quick(t, "set-nx-lua", "lease=3s", "servers.redis.replicas=1", "workload.work=1200ms", inSection+"restart: the primary, down: 50ms")
	byClock := 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	must.Get(real.Run(ctx, p, "set-nx-lua", 1, real.Options{Log: func(server string, text []byte) {
		if server == "redis-2" {
			byClock = bytes.Count(text, []byte("* Connecting to MASTER"))
		}
	}}))(t)
	must.Equalf(t, byClock, 1, "the replica connected … times by its clock")
}

// A run goes on while all of its clients are down, if one of them will be restarted.
func TestTheRunWaitsForClientsThatRestart(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "clients=[A]", inSection+"restart: A, down: 200ms"))
	once(t, h, history.Restarted, "A")
	finished, healed := once(t, h, history.Finished, "A"), once(t, h, history.Healed, "")
	if finished.At > healed.At {
		t.Errorf("A finished at %v, after the beginning of the quiet period at %v", finished.At, healed.At)
	}
}
