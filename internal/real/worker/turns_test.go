package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/ports"
	"lockstep/internal/real/proto"
	"lockstep/internal/store/consul"
)

// slowTimer is a context whose deadline has passed while its timer has not fired, as on a busy
// machine.
type slowTimer struct{ context.Context }

func (slowTimer) Deadline() (time.Time, bool) { return time.Now().Add(-time.Microsecond), true }

// A member of etcd gets the caller's deadline and may notice first that it has passed. That is not
// a response timeout.
func TestACallersDeadlineIsNoTimeout(t *testing.T) {
	w, _ := alone(t, time.Minute)
	ask := request{what: consul.RenewSession{}, send: func(context.Context) (any, error) { return nil, ports.ErrTimeout }}
	for _, c := range []struct {
		ctx  context.Context
		want error
	}{{slowTimer{t.Context()}, context.DeadlineExceeded}, {t.Context(), ports.ErrTimeout}} {
		if _, err := perform(c.ctx, w, ask); !errors.Is(err, c.want) {
			t.Errorf("%v, not %v", err, c.want)
		}
	}
}

// A question that takes no time in the simulator keeps the turn: a client that asks whether its
// work is longer must not learn during that time that its lock is lost.
func TestAQuestionToTheHarnessKeepsTheTurn(t *testing.T) {
	w, reports := alone(t, time.Second)
	w.start.Moments = []faults.MomentKind{faults.AboutToWrite}
	asked := 0
	reports.mu.Lock()
	reports.reading = func(m proto.Up) {
		asked++
		if w.turns.mu.TryLock() {
			t.Errorf("another task could run before the answer to %q", m.Kind)
			w.turns.give()
		}
	}
	reports.mu.Unlock()
	control{w}.ExtraWork()
	control{w}.Reach(faults.AboutToWrite)
	must.Equalf(t, asked, 2, "asked … times")
}

// After a pause, the answer to a renewal and the end of the work are both due. The work was due
// first, so it runs first, whatever the scheduler does.
func TestTheTaskThatIsDueFirstRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		order := make(chan string, 3)
		now := time.Now()
		late := &sleeper{due: now.Add(-time.Second), awake: make(chan struct{})}
		later := &sleeper{due: now.Add(-time.Millisecond), awake: make(chan struct{})}
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
			must.Equalf(t, <-order, want, "has the turn")
		}
	})
}

// A task that is woken early does not delay the others, and its sleep is over.
func TestASleepThatIsCutShortEnds(t *testing.T) {
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
		must.Equalf(t, time.Since(start), time.Hour+time.Second, "slept for")
		must.Equalf(t, len(turns.asleep), 0, "still sleep")
	})
}
