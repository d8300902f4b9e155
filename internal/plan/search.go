package plan

import (
	"math/big"
	"time"

	"lockstep/internal/faults"
)

// Chaos describes how the faults of each run are drawn, instead of listed. Package chaos turns a
// plan and a seed into a plan that lists them.
type Chaos struct {
	From  []string      // verbs; each run draws its own subset of them
	Every Range         // from the beginning of one fault to that of the next
	For   Range         // how long faults last; by how much they delay, slow down or step a clock
	Heal  time.Duration // how long before the end of the work (WorkEnd) all faults are over

	// Servers may be hit besides the clients. They are the same for all locks of the file, so that
	// a seed draws the same faults for each of them.
	Servers []string
}

// WorkEnd is how long a run lasts at least, in 39 runs of 40. Chaos counts back from it, as a fault
// after the end of a run has no effect. It is the time of all rounds one after the other (acquiring
// makes most runs longer), less two standard deviations, and less again where impatient clients
// give up and skip rounds.
func (p *Plan) WorkEnd() time.Duration {
	w := p.Workload
	if len(p.Own) > 0 || w.TriesOnce() || w.Arrivals.Max > 0 {
		return p.leastEnd()
	}
	clients, each := time.Duration(len(p.Clients)), w.Work.Mean()
	if each == 0 {
		return 0
	}
	sum := leastSum(w.Work, int64(len(p.Clients)*w.Repeat))
	// With k rounds given up, the others take (rounds - k) * each, and clients have waited for
	// k / clients * wait: the longer of the two is smallest where they are equal.
	per1000 := int64(w.Wait / (((w.Wait + clients*each) / 1000) + 1))
	bound := (sum / 1000 * time.Duration(min(per1000, 1000))).Truncate(time.Millisecond)
	return max(bound, w.Work.Min) // one client gets the lock
}

// leastEnd is WorkEnd for clients whose workloads differ, or who do not wait for each other: the
// busiest one ends no sooner. A round in which it does not get the lock takes as long as it waits.
func (p *Plan) leastEnd() (end time.Duration) {
	for i, name := range p.Clients {
		w := p.WorkloadOf(name)
		rounds := time.Duration(w.Repeat)
		busy := max(min(leastSum(w.Work, int64(w.Repeat)), rounds*w.Wait), w.Work.Min)
		rests := (rounds - 1) * w.Rest.Mean() * 9 / 10
		if w.Arrivals.Max > 0 { // it rests only if it is not late
			rests = max((rounds-1)*w.Arrivals.Mean()*9/10+w.Work.Min-busy, 0)
		}
		end = max(end, time.Duration(i)*p.Workload.Stagger+busy+rests)
	}
	return end.Truncate(time.Millisecond)
}

// leastSum is the smallest sum of n draws from a range, in 39 cases of 40. For a uniform range it
// is the mean of the sum less two standard deviations; for percentiles, a bound on the draws above
// each of them.
func leastSum(r Range, n int64) time.Duration {
	sum := time.Duration(n) * r.Min
	if r.Percentiles == nil {
		// The deviation of a sum of n uniform draws is the width of the range times sqrt(n/12).
		twice := root(n * 1_000_000 / 3) // thousandths of the width
		width := r.Max - r.Min
		return max(time.Duration(n)*r.Mean()-width/1000*time.Duration(twice), sum)
	}
	below := r.Min
	for _, p := range r.Percentiles {
		// Of n draws n*q are above a percentile, give or take sqrt(n*q*(1-q)); in thousandths.
		above := (n*(1_000_000-p.Share) - 2*root(n*p.Share*(1_000_000-p.Share))) / 1000
		if above <= 0 || p.Length <= below {
			continue
		}
		sum += (p.Length - below) / 1000 * time.Duration(above)
		below = p.Length
	}
	return sum
}

// root is the square root, rounded down.
func root(n int64) int64 { return new(big.Int).Sqrt(big.NewInt(n)).Int64() }

// scaled returns the chaos with all its durations scaled; nil for nil.
func (c *Chaos) scaled(scale func(time.Duration) time.Duration) *Chaos {
	if c == nil {
		return nil
	}
	out := *c
	out.Every, out.For = c.Every.Map(scale), c.For.Map(scale)
	out.Heal = scale(c.Heal)
	return &out
}

// WithFaults returns a copy of the plan with these faults, renumbered.
func (p *Plan) WithFaults(list []faults.Fault) *Plan {
	out := *p
	out.Faults = faults.Renumbered(list)
	return &out
}
