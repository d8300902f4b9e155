package real_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// The moments of acquire and release come in the order of the command's path: with a port, with a
// library, and with a library whose tokens are not text. The pauses are short: rueidislock gives up
// an acquisition without an answer within 20 ms, and then waits for a notification that never
// comes.
func TestMomentsOfAcquireAndReleaseComeForEveryLock(t *testing.T) {
	t.Parallel()
	for _, lock := range []string{"set-nx-lua", "etcd-mutex", "bsm-redislock", "rueidislock"} {
		t.Run(lock, func(t *testing.T) {
			needServersOf(t, lock)
			more := []string{"clients=[A]"}
			for _, word := range []string{faults.ItsAcquire, faults.ItsRelease} {
				for _, m := range faults.MomentPhrases() {
					if m.Kind.OnWire() {
						more = append(more, "when: A "+strings.Replace(m.Text, "%s", word, 1)+", pause: A, for: 1ms")
					}
				}
			}
			p := quick(t, lock, more...)
			h := run(t, p)
			for try := 1; lock == "rueidislock" && len(find(h, history.Acquired, "A")) == 0 && try < 5; try++ {
				h = run(t, p) // this machine was too slow
			}
			var began []int64
			for _, e := range h.Events {
				if e.Kind == history.FaultBegan {
					began = append(began, e.Value)
				}
			}
			if len(began) != 8 {
				t.Fatalf("faults %v began, want all eight:\n%s", began, text(h))
			}
			for i, number := range began {
				if number != int64(i+1) {
					t.Errorf("faults began in the order %v", began)
					break
				}
			}
		})
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
