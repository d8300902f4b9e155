package real_test

import (
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng/spread"
)

// A client's own workload, arrivals, single tries, latencies by percentiles and "that client" mean
// the same as in the simulator.
func TestAClientHasItsOwnWorkload(t *testing.T) {
	t.Parallel()
	p := quick("A", "B")
	p.Workload.Work = plan.Range{Min: 700 * time.Millisecond, Max: 700 * time.Millisecond}
	p.Network.Latency = spread.Range{Max: 5 * time.Millisecond, Percentiles: []spread.Percentile{
		{Share: 500_000, Length: 200 * time.Microsecond}, {Share: 990_000, Length: 2 * time.Millisecond},
	}}
	once := p.Workload
	once.Wait, once.Repeat = 0, 3
	once.Arrivals = plan.Range{Min: 100 * time.Millisecond, Max: 100 * time.Millisecond}
	p.Own = map[string]plan.Workload{"B": once}
	fault(t, p, faults.Trigger{Moment: faults.StartsWaiting, Subject: faults.AnyClient, Nth: 3}, "slow", faults.ThatClient, time.Second, faults.End{})
	h := run(t, p, "set-nx-lua")
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
