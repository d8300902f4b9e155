package libraries_test

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/bubble"
	"lockstep/internal/must"
	"lockstep/internal/plan"
)

// With the seeded runtime one seed gives one history, whatever was played before, and whatever
// wakes up outside the bubble meanwhile.
func TestOneSeedOneHistory(t *testing.T) {
	if !bubble.Seeded() {
		t.Skip("make test-more plays it, with the runtime whose choices follow the seed")
	}
	disturb(t)
	for _, id := range measuredIDs {
		t.Run(id, func(t *testing.T) {
			w := inBubbles(t)()
			defer w.Close()
			seen := map[string][]int{}
			for i := range 20 {
				p := plan.Default()
				p.Clients, p.Workload.Repeat = []string{"A", "B", "C"}, 2
				h := must.Get(w.Play(context.Background(), &p, id, 7))(t)
				hash := h.Hash().String()
				seen[hash] = append(seen[hash], i)
				p.Workload.Repeat = 1 + i%3
				must.Get(w.Play(context.Background(), &p, id, uint64(i)))(t)
			}
			must.Equalf(t, len(seen), 1, "histories of one seed: %v", seen)
		})
	}
}

// disturb wakes a goroutine outside of all bubbles until the test ends, as finalizers and timers do
// now and then.
func disturb(t *testing.T) {
	go func() {
		for t.Context().Err() == nil {
			time.Sleep(20 * time.Microsecond)
		}
	}()
}
