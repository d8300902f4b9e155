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
	rounds := realtest.Rounds(t, realtest.Tiers(10, 40))
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
	more := []string{"clients=[A, B, C]", "lease=200ms", "network.timeout=60ms", "network.loss=5%", "servers.redis.replicas=1",
		"workload.repeat=5 times", "workload.wait=up to 300ms"}
	for range 8 {
		length := fmt.Sprintf("%dns", 1+random.Int64N(int64(200*time.Millisecond)))
		client := []string{"A", "B", "C"}[random.IntN(3)]
		server := []string{faults.ThePrimary, "redis-1", "redis-2"}[random.IntN(3)]
		at := fmt.Sprintf("at: %dns, ", random.Int64N(int64(800*time.Millisecond)))
		announced := fmt.Sprintf("when: %s is about to send any command the %dth time, ", client, 1+random.IntN(6))
		more = append(more, []string{
			at + "pause: " + server + ", for: " + length,
			at + "pause: " + client + ", for: " + length,
			at + "partition: [" + client + ", store], for: " + length,
			at + "cut: [store, " + client + "], for: " + length,
			at + "restart: " + server + ", down: " + length,
			announced + "crash: " + client, // killed while the harness answers that a command may be sent
			announced + "drop: reply",
			announced + "delay: request, by: " + length,
			announced + "pause: " + server + ", for: " + length,
		}[random.IntN(9)])
	}
	p := quick(t, "set-nx-lua", more...)
	p.Redlock.Nodes = 3
	return p
}
