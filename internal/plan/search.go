package plan

import (
	"time"

	"lockstep/internal/faults"
)

// Chaos says how the faults of a run are drawn, instead of listing them. Package
// chaos turns a plan and a seed into a plan that lists what was drawn.
type Chaos struct {
	From  []string      // verbs; each run draws its own subset of them
	Every Range         // from the beginning of one fault to that of the next
	For   Range         // how long faults last; by how much they delay, slow down or step a clock
	Heal  time.Duration // how long before the end of the work (WorkEnd) all faults are over

	// Servers may be hit besides the clients. They are chosen for all locks of the
	// file together, so that a seed draws the same whichever of them are played.
	Servers []string
}

// WorkEnd is when the clients will have done all their work if one follows the
// other without a gap and each takes the middle of its range: the end that chaos
// counts from. A real run takes longer by the time that acquiring takes.
func (p *Plan) WorkEnd() time.Duration {
	rounds := time.Duration(len(p.Clients) * p.Workload.Repeat)
	return rounds * (p.Workload.Work.Min + p.Workload.Work.Max) / 2
}

// scaled returns the chaos with all its durations scaled; nil for nil.
func (c *Chaos) scaled(scale func(time.Duration) time.Duration) *Chaos {
	if c == nil {
		return nil
	}
	out := *c
	out.Every = Range{scale(c.Every.Min), scale(c.Every.Max)}
	out.For = Range{scale(c.For.Min), scale(c.For.Max)}
	out.Heal = scale(c.Heal)
	return &out
}

// WithFaults returns a copy of the plan with these faults, numbered anew.
func (p *Plan) WithFaults(list []faults.Fault) *Plan {
	out := *p
	out.Faults = nil
	for i, f := range list {
		made := faults.Make(i+1, f.Spec(), f.Args, f.Trigger, f.End)
		made.Line = f.Line
		out.Faults = append(out.Faults, made)
	}
	return &out
}
