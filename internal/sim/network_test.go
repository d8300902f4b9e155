package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/store/redis"
)

// between checks that an instant lies within a span of true time.
func between(t *testing.T, what string, got history.Instant, from, until time.Duration) {
	t.Helper()
	if d := got.Duration(); d < from || d > until {
		t.Errorf("%s at %v, want it from %v to %v", what, d, from, until)
	}
}

// A request or reply that a partition holds back arrives when the partition ends, in both
// directions.
func TestAPartitionHoldsBackBothWays(t *testing.T) {
	const length = 100 * time.Millisecond
	for _, tt := range []struct {
		name, when string
		granted    time.Duration
	}{
		{"the request", "A is about to send SET", length},
		{"the reply", "A sends SET", 0}, // the request was on its way
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, got := playEvents(t, story(t, "set-nx-lua", "clients=[A]", "when: "+tt.when+", partition: [A, store], for: 100ms"),
				history.TimedOut, history.AcquireFailed)
			expectLines(t, got)
			between(t, "granted", find(t, h, history.Granted, "redis-1").At, tt.granted, tt.granted+10*time.Millisecond)
			between(t, "A acquires", find(t, h, history.Acquired, "A").At, length, length+10*time.Millisecond)
		})
	}
}

// The end of one partition does not heal another one, whether on the same link or not. The first
// request that gets through makes the entry.
func TestAPartitionHealsByItself(t *testing.T) {
	granted := func(h *history.History, owner string) history.Instant {
		for _, e := range h.Events {
			if e.Kind == history.Granted && h.Name(e.Owner) == owner {
				return e.At
			}
		}
		t.Fatalf("nothing is granted to %s", owner)
		return 0
	}
	const begin = "when: A is about to send SET, " // the first of all
	h := play(t, story(t, "set-nx-lua", "lease=1s", "workload.work=0s",
		begin+"partition: [A, store], for: 1s", begin+"partition: [B, store], for: 5s"))
	between(t, "A's entry", granted(h, "A"), time.Second, 1100*time.Millisecond)
	between(t, "B's entry", granted(h, "B"), 5*time.Second, 5100*time.Millisecond)

	h = play(t, story(t, "set-nx-lua", "lease=1s", "workload.work=0s", "clients=[A]",
		begin+"partition: [A, store], for: 3s", "at: 1s, partition: [A, store], for: 4s"))
	between(t, "A's entry", granted(h, "A"), 5*time.Second, 5100*time.Millisecond)
}

// delayed holds A's first SET back.
const delayed = "when: A is about to send SET, delay: request, by: 2s"

// A delayed request is executed late, even though its client has given it up by then.
func TestADelayedRequestIsExecutedLate(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "clients=[A]", "lease=500ms", "workload.work=0s", delayed))
	for i, e := range h.Events {
		if e.Kind == history.Sent && h.Name(e.Node) == "A" {
			for _, done := range h.Events[i:] {
				if done.Kind == history.Executed && done.Cause == int32(i) {
					between(t, "executed", done.At, 2*time.Second, 2*time.Second+10*time.Millisecond)
					return
				}
			}
			break
		}
	}
	t.Error("A's first request was never executed")
}

// twoOnOne sends a second command on a connection before the first one is answered.
type twoOnOne struct{ locks.Deps }

func (l twoOnOne) Acquire(ctx context.Context) (locks.Lease, error) {
	conn, err := l.Redis.Dial(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	second := l.Env.Go(ctx, "second", func(ctx context.Context) {
		_ = l.Env.Sleep(ctx, 100*time.Millisecond)
		conn.Do(ctx, redis.Command("PING"))
	})
	conn.Do(ctx, redis.Set("first", "1"))
	_ = second.Join(ctx)
	return nil, errors.New("this is no lock")
}

// Requests on one connection arrive in the order in which they were sent.
func TestAConnectionKeepsItsOrder(t *testing.T) {
	p := story(t, "set-nx-lua", "clients=[A]", "workload.wait=up to 3s", delayed)
	h := must.Get(PlayVariant(t.Context(), p, locks.Variant{
		ID: "two-on-one", Store: locks.StoreRedis, LeaseUnit: time.Millisecond,
		New: func(d locks.Deps) locks.Lock { return twoOnOne{d} },
	}, 1))(t)
	var sent, executed []string
	for _, e := range h.Events {
		switch {
		case e.Kind == history.Sent && h.Name(e.Node) == "A":
			sent = append(sent, h.Text(e.Text))
		case e.Kind == history.Executed && h.Name(e.Peer) == "A":
			executed = append(executed, h.Text(h.Events[e.Cause].Text))
		}
	}
	if len(executed) < 2 || len(sent) < 2 || executed[0] != sent[0] || executed[1] != sent[1] {
		t.Errorf("sent %q, executed %q", sent, executed)
	}
}

// Connections end with their server's process: its next life does not execute what was sent before.
func TestARequestDoesNotOutliveItsServer(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "clients=[A]", delayed, "at: 1s, restart: redis-1, down: 50ms"))
	find(t, h, history.Restarted, "redis-1")
	first := find(t, h, history.Sent, "A")
	for _, e := range h.Events {
		if e.Kind == history.Executed && h.Events[e.Cause].Value == first.Value && e.Value == first.Value {
			t.Errorf("at %v a server has executed what was sent to its former life", e.At)
		}
	}
	find(t, h, history.Acquired, "A") // by another request
}

// Each client draws its own latencies.
func TestClientsHaveTheirOwnRandomNumbers(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "network={latency: 1ms..1s, timeout: 10s}"))
	first := map[string]time.Duration{}
	for _, e := range h.Events {
		client := h.Name(e.Peer)
		if _, seen := first[client]; e.Kind == history.Executed && !seen {
			first[client] = e.At.Sub(h.Events[e.Cause].At)
		}
	}
	if first["A"] == 0 || first["B"] == 0 || first["A"] == first["B"] {
		t.Errorf("the first requests of A and B took %v and %v", first["A"], first["B"])
	}
}

// The quiet period begins only when all clients are done.
func TestTheStormLastsUntilAllAreDone(t *testing.T) {
	h := play(t, story(t, "setnx", "when: B is in its critical section, pause: B, for: 8s"))
	healed := find(t, h, history.Healed, "nobody").At
	for _, name := range []string{"A", "B"} {
		if done := find(t, h, history.Finished, name).At; done > healed {
			t.Errorf("healed at %v, and %s is done at %v", healed, name, done)
		}
	}
}

// After a partition, delayed messages arrive in the order in which they were sent or, with
// AnyOrder, in a random one: each request has its own connection, and TCP keeps no order among
// them.
func TestWhatAPartitionHeldBackComesInAnyOrder(t *testing.T) {
	order := func(any bool, seed uint64) (out []int64) {
		p := story(t, "set-nx-lua", "clients=[A]", "network.timeout=1s", "workload.retry=1s",
			"when: A is about to send SET, partition: [A, store], for: 9s")
		w := New()
		defer w.Close()
		w.SetTiming(Timing{AnyOrder: any})
		h := must.Get(w.Run(p, "set-nx-lua", seed))(t)
		healed := find(t, h, history.FaultEnded, "nobody").At
		for _, e := range h.Events {
			if e.Kind == history.Executed && h.Name(e.Peer) == "A" && e.At <= healed+history.Instant(5*time.Millisecond) {
				out = append(out, e.Value)
			}
		}
		return out
	}
	others := 0
	for seed := range uint64(10) {
		sent, mixed := order(false, seed), order(true, seed)
		if !slices.IsSorted(sent) || len(sent) < 4 {
			t.Errorf("seed %d: as they were sent: %v", seed, sent)
		}
		must.Slicesf(t, mixed, order(true, seed), "seed %d has two orders", seed)
		if !slices.Equal(sent, mixed) {
			others++
		}
		if slices.Sort(mixed); !slices.Equal(sent, mixed) {
			t.Errorf("seed %d: %v arrive in order, and %v in any", seed, sent, mixed)
		}
	}
	if others < 5 {
		t.Errorf("%d of 10 seeds have another order", others)
	}
}

// late delays one half of a command of A's by three seconds.
func late(half, command string, nth int) string {
	return fmt.Sprintf("when: A is about to send %s the %dth time, delay: %s, by: 3s", command, nth, half)
}

// overtakes returns the first request or reply of A's that arrived before an earlier one, or "".
func overtakes(h *history.History) string {
	last := map[string]int32{}
	for _, e := range h.Events {
		server := e.Node
		switch {
		case e.Kind == history.Executed && h.Name(e.Peer) == "A":
		case e.Kind == history.Replied && h.Name(e.Node) == "A":
			server = e.Peer
		default:
			continue
		}
		key := fmt.Sprint(e.Kind, " ", h.Name(server))
		if before, ok := last[key]; ok && e.Cause < before {
			return fmt.Sprintf("%v at %v: %s after %s", e.Kind, e.At, h.Text(h.Events[e.Cause].Text), h.Text(h.Events[before].Text))
		}
		last[key] = e.Cause
	}
	return ""
}

// A client of etcd has one connection to each server, so a late request or reply delays everything
// behind it, whichever task sent that.
func TestALateMessageHoldsUpWhatIsBehindIt(t *testing.T) {
	tests := 0
	for _, v := range locks.Simulated() {
		if v.Store != locks.StoreEtcd {
			continue
		}
		for _, half := range []string{"request", "reply"} {
			for nth := 1; nth <= 6; nth++ {
				h := play(t, story(t, v.ID, "workload={work: 8s, wait: up to 60s}", "network.timeout=2s",
					"servers.etcd.nodes=1", // among several it is random when a request is executed
					late(half, faults.AnyCommand, nth)))
				must.Equalf(t, overtakes(h), "",
					"%s, the %s of command %d is late", v.ID, half, nth)
				tests++
			}
		}
	}
	if tests < 36 {
		t.Errorf("%d tests only", tests)
	}
}

// With a pool of connections, a late request is overtaken, even by its own retry.
func TestAPoolHasAnotherConnection(t *testing.T) {
	h := play(t, story(t, "set-nx-lua", "clients=[A]", "workload.work=3s", "network.timeout=1s", late("request", "SET", 1)))
	must.Contain(t, overtakes(h), "SET")
}

// A partition that begins meanwhile holds back a late message, and nothing overtakes that message
// when the partition ends.
func TestALateMessageMeetsAPartition(t *testing.T) {
	for _, tt := range []struct {
		from, length, want time.Duration
	}{
		{2 * time.Second, 4 * time.Second, 6 * time.Second}, // it would arrive after 3 s
		{time.Second, time.Second, 3 * time.Second},         // and does when nothing is in the way any more
		{4 * time.Second, time.Second, 3 * time.Second},     // or not yet
		{0, 2 * time.Second, 3 * time.Second},               // it was sent into the partition
	} {
		h := play(t, story(t, "etcd-txn", "clients=[A]", "network.timeout=10s", "servers.etcd.nodes=1", late("request", "TXN", 1),
			fmt.Sprintf("when: A is about to send TXN, after: %v, partition: [A, store], for: %v", tt.from, tt.length)))
		var sent history.Instant
		for _, e := range h.Events {
			if e.Kind == history.Sent && strings.HasPrefix(h.Text(e.Text), "TXN") && sent == 0 {
				sent = e.At
			}
			if e.Kind == history.Executed && e.Cause >= 0 && h.Events[e.Cause].At == sent && sent > 0 && h.Name(e.Peer) == "A" {
				must.Equalf(t, e.At.Sub(sent).Round(20*time.Millisecond), tt.want,
					"a partition from %v on for %v: executed after", tt.from, tt.length)
				break
			}
		}
		must.Equalf(t, overtakes(h), "", "a partition from %v on for %v", tt.from, tt.length)
	}
}
