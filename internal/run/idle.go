package run

import (
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Noticed adds the numbers of those faults of the plan from which this run drew something with an
// effect.
func Noticed(lines []int, o *Outcome) []int {
	for i := range o.Judgement.Lines {
		if l := &o.Judgement.Lines[i]; l.Noticed && !slices.Contains(lines, l.Number) {
			lines = append(lines, l.Number)
		}
	}
	return lines
}

// Idle returns the faults of the plan from which something could be drawn and that had an effect in
// none of its runs: the runs do not test them.
func Idle(p *plan.Plan, noticed []int) (idle []faults.Fault) {
	for i := range p.Faults {
		if f := &p.Faults[i]; f.MayCome() && !slices.Contains(noticed, f.Number) {
			idle = append(idle, *f)
		}
	}
	return idle
}

// SaidIdle says of each such fault that it had no effect.
func SaidIdle(idle []faults.Fault) (all say.Remarks) {
	for i := range idle {
		f := &idle[i]
		all = append(all, say.NothingCameOf.With(say.Number(f.Number), f.Told()))
	}
	return all
}
