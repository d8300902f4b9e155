package real_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/real/realtest"
)

// A run ends, even if servers are killed, stopped and restarted and clients are killed while links
// hold, drop and delay, at random times and all at once.
func TestNoStormHangsTheHarness(t *testing.T) {
	random := seeded(t)
	e := endings[0]
	needServersOf(t, e.lock)
	m := lookAround(t)
	rounds := realtest.Rounds(t, realtest.Tiers(20, 40))
	const atOnce = 5
	seeds := make(chan uint64)
	go func() {
		defer close(seeds)
		for range rounds {
			seeds <- random.Uint64()
		}
	}()
	var mu sync.Mutex
	var all sync.WaitGroup
	var longest time.Duration
	for range atOnce {
		all.Go(func() {
			for seed := range seeds {
				took := stormRound(t, seed)
				mu.Lock()
				longest = max(longest, took)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.Logf("%d rounds, the longest took %v", rounds, longest)
	m.nothingLeft()
}

// stormRound plays one run, which has to end in its own time.
func stormRound(t *testing.T, seed uint64) (took time.Duration) {
	random := rand.New(rand.NewPCG(seed, 0))
	p := storm(t, random)
	lock := []string{"set-nx-lua", "redlock", "watchdog-lua"}[random.IntN(3)]
	limit := p.Horizon() + plan.ProbeFactor*p.Lease + 2*time.Minute // the rest is for a busy machine
	watchdog := time.AfterFunc(limit, func() {
		stacks := make([]byte, 1<<22)
		panic(fmt.Sprintf("seed %d, %s: no end after %v\n%s", seed, lock, limit, stacks[:runtime.Stack(stacks, true)]))
	})
	defer watchdog.Stop()
	began := time.Now()
	if _, err := real.Run(context.Background(), p, lock, seed, real.Options{}); err != nil {
		t.Errorf("seed %d, %s: %v\nfaults: %v", seed, lock, err, p.Faults)
	}
	return time.Since(began)
}

// storm returns a plan of about a second with many faults.
func storm(t *testing.T, random *rand.Rand) *plan.Plan {
	p := quick("A", "B", "C")
	p.Redis.Replicas, p.Redlock.Nodes = 1, 3
	p.Lease, p.Network.Timeout = 200*time.Millisecond, 60*time.Millisecond
	p.Network.LossPPM = 50_000
	p.Workload.Repeat, p.Workload.Wait = 5, 300*time.Millisecond
	for range 8 {
		at := faults.Trigger{At: time.Duration(random.Int64N(int64(800 * time.Millisecond)))}
		length := faults.End{For: time.Duration(1 + random.Int64N(int64(200*time.Millisecond)))}
		client := p.Clients[random.IntN(len(p.Clients))]
		server := []string{faults.ThePrimary, "redis-1", "redis-2"}[random.IntN(3)]
		announced := when(faults.AboutToSend, client, faults.AnyCommand)
		announced.Nth = 1 + random.IntN(6)
		switch random.IntN(9) {
		case 0:
			fault(t, p, at, "pause", server, 0, length)
		case 1:
			fault(t, p, at, "pause", client, 0, length)
		case 2:
			sided(p, at, "partition", []string{client}, []string{faults.TheStore}, length)
		case 3:
			sided(p, at, "cut", []string{faults.TheStore}, []string{client}, length)
		case 4:
			restartAt(p, at, server, length.For)
		case 5: // killed while the harness answers that a command may be sent
			fault(t, p, announced, "crash", client, 0, faults.End{})
		case 6:
			fault(t, p, announced, "drop", "reply", 0, faults.End{})
		case 7:
			fault(t, p, announced, "delay", "request", length.For, faults.End{})
		case 8:
			fault(t, p, announced, "pause", server, 0, length)
		}
	}
	return p
}
