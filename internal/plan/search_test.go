package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/internal/plan"
	"lockstep/internal/rng/spread"
)

// tail is work whose durations are given by percentiles.
var tail = spread.Range{Min: 500 * time.Millisecond, Max: 30 * time.Second, Percentiles: []spread.Percentile{
	{Share: 500_000, Length: 600 * time.Millisecond}, {Share: 999_000, Length: 4 * time.Second},
}}

// Faults are drawn until WorkEnd. It is at least the length of all rounds: 20 rounds of 500 ms are
// 10 s, however their length is written.
func TestTheEndOfTheWorkCountsEveryRound(t *testing.T) {
	base := plan.Default()
	base.Workload.Repeat, base.Workload.Work = 20, tail
	base.Clients = []string{"A", "B"}
	own := base
	own.Own = map[string]plan.Workload{"B": base.Workload}
	arrivals := base
	arrivals.Workload.Arrivals = spread.Fixed(10 * time.Millisecond) // so rounds are always late
	for name, tt := range map[string]struct {
		p     plan.Plan
		least time.Duration
	}{
		"one after the other": {base, 20 * time.Second},
		"a client's own":      {own, 10*time.Second + 19*90*time.Millisecond},
		"late rounds":         {arrivals, 10 * time.Second},
	} {
		if got := tt.p.WorkEnd(); got < tt.least {
			t.Errorf("%s: the work ends at %v, and its rounds alone take %v", name, got, tt.least)
		}
	}
	impatient := base
	impatient.Workload.Wait = 0
	if got := impatient.WorkEnd(); got > 3*time.Second {
		t.Errorf("clients with one attempt may skip all work, and the end is %v", got)
	}
}

// Nearly all runs last at least until WorkEnd.
func TestTheEndOfTheWorkIsALowerBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, r := range map[string]spread.Range{
		"by percentiles": tail,
		"uniform":        {Min: time.Second, Max: 3 * time.Second},
		"p90 only far":   {Max: time.Minute, Percentiles: []spread.Percentile{{Share: 10_000, Length: time.Second}, {Share: 900_000, Length: 10 * time.Second}}},
	} {
		p := plan.Default()
		p.Workload.Repeat, p.Workload.Work, p.Workload.Wait = 20, r, time.Hour
		p.Clients = []string{"A", "B"}
		end, sums := p.WorkEnd(), make([]time.Duration, 4000)
		for i := range sums {
			for range 40 {
				sums[i] += r.Draw(rng)
			}
		}
		slices.Sort(sums)
		if lower := sums[len(sums)/30]; end > lower {
			t.Errorf("%s: the work ends at %v at least, and one run of 30 ends before %v", name, end, lower)
		}
		if median := sums[len(sums)/2]; end < median/5 {
			t.Errorf("%s: the work ends at %v at least, far from the median of %v", name, end, median)
		}
	}
}
