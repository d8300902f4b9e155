package worker

import (
	"testing"
	"testing/synctest"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/real/proto"
)

// What takes no time in the simulator gives no turn away: a client that asks whether its
// work is longer must not hear meanwhile that its lock is lost.
func TestWhatTakesNoTimeKeepsTheTurn(t *testing.T) {
	w, told := alone(t, time.Second)
	w.start.Moments = []faults.MomentKind{faults.AboutToWrite}
	asked := 0
	told.mu.Lock()
	told.reading = func(m proto.Up) {
		asked++
		if w.turns.mu.TryLock() {
			t.Errorf("another task could run before the answer to %q", m.Kind)
			w.turns.give()
		}
	}
	told.mu.Unlock()
	control{w}.ExtraWork()
	control{w}.Reach(faults.AboutToWrite)
	if asked != 2 {
		t.Errorf("asked %d times, not twice", asked)
	}
}

// After a pause the answer to a renewal and the end of work are there at once. The work was
// due first, whichever of the two the scheduler runs first.
func TestWhoIsDueEarlierHasTheTurnEarlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		order := make(chan string, 3)
		now := time.Now()
		late := &sleeper{due: now.Add(-time.Second), hadIts: make(chan struct{})}
		later := &sleeper{due: now.Add(-time.Millisecond), hadIts: make(chan struct{})}
		turns.asleep = []*sleeper{later, late}
		wakes := func(s *sleeper, name string) {
			turns.takeAsOf(s.due)
			turns.wakes(s)
			order <- name
			turns.give()
		}
		go func() {
			turns.take()
			order <- "answer"
			turns.give()
		}()
		synctest.Wait()
		go wakes(later, "later")
		synctest.Wait()
		wakes(late, "late")
		synctest.Wait()
		for _, want := range []string{"late", "later", "answer"} {
			if got := <-order; got != want {
				t.Errorf("%s has the turn where %s was due", got, want)
			}
		}
	})
}

// Who is woken before its time keeps nobody waiting, and sleeps no longer.
func TestASleepThatIsCutShortHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		start, cut := time.Now(), make(chan struct{})
		go func() {
			time.Sleep(time.Second)
			close(cut)
		}()
		turns.take()
		if turns.sleep(time.Minute, cut) {
			t.Error("the sleep was whole")
		}
		if !turns.sleep(time.Hour, nil) {
			t.Error("the sleep was cut short")
		}
		turns.give()
		if took := time.Since(start); took != time.Hour+time.Second {
			t.Errorf("slept for %v", took)
		}
		if len(turns.asleep) != 0 {
			t.Errorf("%d still sleep", len(turns.asleep))
		}
	})
}
