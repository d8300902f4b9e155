package real_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
)

// The moments of acquire and release come in the order of the command's path: with a port and with a
// library.
func TestMomentsOfAcquireAndReleaseComeForEveryLock(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"set-nx-lua", "etcd-mutex", "bsm-redislock"} {
		t.Run(lock, func(t *testing.T) {
			needServersOf(t, lock)
			h := run(t, ownMoments(t, lock))
			wantAllBegun(t, h)
		})
	}
}

// So they do with a library whose tokens are not text. The pauses are short: rueidislock gives up an
// acquisition without an answer within 20 ms, and then waits for a notification that never comes.
func TestMomentsComeWithBinaryTokens(t *testing.T) {
	realtest.SecondTier(t)
	const lock = "rueidislock"
	needServersOf(t, lock)
	p := ownMoments(t, lock)
	h := run(t, p)
	for try := 1; len(find(h, history.Acquired, "A")) == 0 && try < 5; try++ {
		h = run(t, p) // this machine was too slow
	}
	wantAllBegun(t, h)
}

// ownMoments is a story with a pause of A at each of the eight moments of its acquire and release.
func ownMoments(t *testing.T, lock string) *plan.Plan {
	more := []string{"clients=[A]"}
	for _, word := range []string{faults.ItsAcquire, faults.ItsRelease} {
		for _, m := range faults.MomentPhrases() {
			if m.Kind.OnWire() {
				more = append(more, "when: A "+strings.Replace(m.Text, "%s", word, 1)+", pause: A, for: 1ms")
			}
		}
	}
	return quick(t, lock, more...)
}

func wantAllBegun(t *testing.T, h *history.History) {
	t.Helper()
	var began []int64
	for _, e := range h.Events {
		if e.Kind == history.FaultBegan {
			began = append(began, e.Value)
		}
	}
	if !slices.Equal(began, []int64{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("faults %v began, want all eight, in their order:\n%s", began, text(h))
	}
}

// A client's own workload, arrivals, single tries, latencies by percentiles and "that client" mean
// the same as in the simulator.
func TestAClientHasItsOwnWorkload(t *testing.T) {
	t.Parallel()
	h := run(t, quick(t, "set-nx-lua", "workload.work=700ms", "network.latency=p50 200us, p99 2ms, max 5ms",
		"clients=[A, {name: B, wait: 0s, repeat: 3 times, arrivals: 100ms}]",
		"when: any client starts waiting the 3rd time, slow: that client, by: 1s"))
	wantEvents(t, h, 3, history.GaveUp, "B")
	wantEvents(t, h, 0, history.AcquireFailed, "B")
	waits := find(h, history.Waits, "B")
	if len(waits) != 3 || waits[2].At.Sub(waits[0].At) < 180*time.Millisecond {
		t.Errorf("B's rounds do not arrive each 100 ms: %v", waits)
	}
	if began := find(h, history.FaultBegan, "B"); len(began) != 1 {
		t.Errorf("that client is B, whose moment it was: %v", began)
	}
}
