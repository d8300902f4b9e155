package run

import (
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Noticed adds to the lines of other runs those of a plan's faults from which a run has drawn something
// with an effect.
func Noticed(lines []int, o *Outcome) []int {
	for i := range o.Judgement.Lines {
		if l := &o.Judgement.Lines[i]; l.Noticed && !slices.Contains(lines, l.Number) {
			lines = append(lines, l.Number)
		}
	}
	return lines
}

// Idle are the lines of a plan's faults from which something could be drawn, and that did nothing in any
// of its runs: the runs do not test what they say.
func Idle(p *plan.Plan, noticed []int) (idle []faults.Fault) {
	for i := range p.Faults {
		if f := &p.Faults[i]; f.MayCome() && !slices.Contains(noticed, f.Number) {
			idle = append(idle, *f)
		}
	}
	return idle
}

// SaidIdle says of each of such lines that nothing came of it.
func SaidIdle(idle []faults.Fault) (all say.Remarks) {
	for i := range idle {
		f := &idle[i]
		all = append(all, say.NothingCameOf.With(say.Number(f.Number), f.Said()))
	}
	return all
}
