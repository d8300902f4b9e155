package run

import (
	"slices"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Noticed adds the lines of a plan's faults that luck has drawn something from in a run, and somebody
// could notice, to those of other runs.
func Noticed(lines []int, o *Outcome) []int {
	for i := range o.Judgement.Lines {
		if l := &o.Judgement.Lines[i]; l.Noticed && !slices.Contains(lines, l.Number) {
			lines = append(lines, l.Number)
		}
	}
	return lines
}

// Idle are the lines of a plan's faults that luck could have drawn something from, and that did nothing in
// any of its runs: these are no test of what they say.
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
