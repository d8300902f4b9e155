package real_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/real"
	"lockstep/internal/rng/spread"
)

// Clients of their own kind, rounds that arrive, one try, latencies by percentiles and that client mean in
// this world what they mean in the simulator.
func TestClientsMayDoOtherThanAll(t *testing.T) {
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
	if got := len(find(h, history.GaveUp, "B")); got != 3 {
		t.Errorf("B gave up %d times, want 3: it tries once while A holds", got)
	}
	if got := len(find(h, history.AcquireFailed, "B")); got != 0 {
		t.Errorf("%d attempts of B have failed: that another client holds is no failure", got)
	}
	waits := find(h, history.Waits, "B")
	if len(waits) != 3 || waits[2].At.Sub(waits[0].At) < 180*time.Millisecond {
		t.Errorf("B's rounds do not arrive each 100 ms: %v", waits)
	}
	if began := find(h, history.FaultBegan, "B"); len(began) != 1 {
		t.Errorf("that client is B, whose moment it was: %v", began)
	}
}

func TestTooManyClientsAreRefused(t *testing.T) {
	p := quick(strings.Fields(strings.Repeat("A ", 101))...)
	_, err := real.Run(context.Background(), p, "set-nx-lua", 1, real.Options{})
	if err == nil || !strings.Contains(err.Error(), "play it in the simulator") {
		t.Error(err)
	}
}
