package run

import (
	"context"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// first returns when an event of a kind first happened in a run; -1 if never.
func first(j *checker.Judgement, kind history.Kind) time.Duration {
	for _, e := range j.History.Events {
		if e.Kind == kind {
			return time.Duration(e.At)
		}
	}
	return -1
}

// Some flaws of locks on several nodes break no property, but cost time.
func TestWhenThingsHappen(t *testing.T) {
	tests := []struct {
		scenario, lock string
		kind           history.Kind
		least, most    time.Duration
	}{
		// Three replies are lost after 50 ms each; then a random delay of 200 ms at
		// most, and a second attempt without faults.
		{"minimal-release-leaves-ghosts", "redlock", history.Acquired, 150 * time.Millisecond, 500 * time.Millisecond},
		// The three ghosts live for one lease.
		{"minimal-release-leaves-ghosts", "redlock-minrelease", history.Acquired, 10 * time.Second, 10500 * time.Millisecond},
		// The link to the replica is back after 4 s.
		{"wait-undoes-nothing", "set-wait", history.Acquired, 4 * time.Second, 4500 * time.Millisecond},
		// The client's own key lives for one lease.
		{"wait-undoes-nothing", "lit-wait-retry", history.Acquired, 10 * time.Second, 10500 * time.Millisecond},
		// 15 s and 6 to 7 s of work, on extensions: no client is told to stop.
		{"redlock-extends-its-lease", "redlock-extend", history.WriteAccepted, 21 * time.Second, 22500 * time.Millisecond},
		{"redlock-extends-its-lease", "redlock-extend", history.LostLease, -1, -1},
		// Ten extensions, one each third of the lease, and 10 s after the last; a client that hangs
		// does not notice.
		{"redlock-stops-extending", "redlock-extend", history.Expired, 43 * time.Second, 43500 * time.Millisecond},
		{"redlock-stops-extending", "redlock-extend", history.LostLease, -1, -1},
	}
	w := sim.New()
	defer w.Close()
	for _, tt := range tests {
		p := scenariotest.Load(t, "../../scenarios/lessons/"+tt.scenario+".yaml")
		for seed := uint64(1); seed <= 20; seed++ {
			out := One(context.Background(), w, p, tt.lock, seed)
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			if at := first(&out.Judgement, tt.kind); at < tt.least || at > tt.most {
				t.Errorf("%s with %s, seed %d: first %v after %v, want %v to %v",
					tt.scenario, tt.lock, seed, tt.kind, at, tt.least, tt.most)
			}
		}
	}
}

// The lesson says that a pause after the check lets the write through. Real processes race there,
// so the scenario does not expect it. In the simulator the task that was paused before its write
// goes on first, and then the one that watches the clock.
func TestSelfFenceMissesAPauseAfterItsCheck(t *testing.T) {
	p := scenariotest.Load(t, "../../scenarios/lessons/pause-between-check-and-write.yaml")
	w := sim.New()
	defer w.Close()
	for seed := uint64(1); seed <= 20; seed++ {
		out := One(context.Background(), w, p, "self-fence", seed)
		for _, id := range []string{checker.NoStaleWriteID, checker.NoLostUpdateID} {
			if got := out.Judgement.Finding(id).Verdict; got != checker.Broken {
				t.Errorf("seed %d: %s is %s, want %s", seed, id, got, checker.Broken)
			}
		}
	}
}
