package run

import (
	"context"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

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
