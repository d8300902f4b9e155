package real_test

import (
	"testing"
	"time"

	"lockstep/internal/history"
)

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
