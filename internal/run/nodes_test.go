package run

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/sim"
)

// Some flaws cost time and break no property. What they cost is in the stories,
// and here.

// firstAcquired is when anybody first got the lock.
func firstAcquired(t *testing.T, j *checker.Judgement) time.Duration {
	t.Helper()
	for _, e := range j.History.Events {
		if e.Kind == history.Acquired {
			return time.Duration(e.At)
		}
	}
	t.Fatal("nobody acquired the lock")
	return 0
}

func TestFlawsThatCostTime(t *testing.T) {
	tests := []struct {
		scenario, lock string
		least, most    time.Duration // until somebody has the lock
	}{
		// Three replies are lost after 50 ms each; then a random delay of 200 ms at
		// most, and a second attempt without faults.
		{"minimal-release-leaves-ghosts", "redlock", 150 * time.Millisecond, 500 * time.Millisecond},
		// The three ghosts live for one lease.
		{"minimal-release-leaves-ghosts", "redlock-minrelease", 10 * time.Second, 10500 * time.Millisecond},
		// The link to the replica is back after 4 s.
		{"wait-undoes-nothing", "set-wait", 4 * time.Second, 4500 * time.Millisecond},
		// The client's own key lives for one lease.
		{"wait-undoes-nothing", "lit-wait-retry", 10 * time.Second, 10500 * time.Millisecond},
	}
	w := sim.New()
	defer w.Close()
	for _, tt := range tests {
		p := load(t, "../../scenarios/lessons/"+tt.scenario+".yaml")
		for seed := uint64(1); seed <= 20; seed++ {
			out := One(context.Background(), w, p, tt.lock, seed)
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if at := firstAcquired(t, &out.Judgement); at < tt.least || at > tt.most {
				t.Errorf("%s with %s, seed %d: somebody had the lock after %v, want %v to %v",
					tt.scenario, tt.lock, seed, at, tt.least, tt.most)
			}
		}
	}
}
