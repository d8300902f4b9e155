package chaos

import (
	"fmt"
	"maps"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/rng/spread"
)

// mostLooks is how many occurrences of a moment are drawn for, more than any run has.
const mostLooks = 100_000

// drawListed draws what listed faults leave open. A fault that repeats becomes one for each time;
// those share the room that the others leave of MostFaults.
func drawListed(p *plan.Plan, seed uint64) *plan.Plan {
	d := &drawing{plan: p, seed: seed}
	room, sharing := MostFaults, 0
	for i := range p.Faults {
		if f := &p.Faults[i]; f.Open != nil && f.Repeats() {
			sharing++
		} else {
			room--
		}
	}
	var list, lines []faults.Fault
	for i := range p.Faults {
		f := &p.Faults[i]
		if f.MayCome() {
			lines = append(lines, *f)
		}
		switch {
		case f.Open == nil:
			list = append(list, *f)
		case f.Repeats():
			list = append(list, d.again(f, max(room/sharing, 1))...)
		default:
			if l := d.listed(f); l.comes(f) {
				list = append(list, l.fixed(f, f.Trigger))
			}
		}
	}
	out := p.WithFaults(list)
	out.Lines = lines
	out.Drawn = len(list) == 0 // none by chance, rather than none planned
	return out
}

func (d *drawing) listed(f *faults.Fault) *random {
	return d.stream(fmt.Sprintf("fault %d of the list", f.Number))
}

// again returns the occurrences of a repeated fault, at most that many.
func (d *drawing) again(f *faults.Fault, most int) (list []faults.Fault) {
	l := d.listed(f)
	t := f.Trigger
	if t.Every > 0 {
		every, ok := f.Open.Ranges["every"]
		if !ok {
			every = spread.Fixed(t.Every)
		}
		for at := l.within(every); at < d.plan.WorkEnd() && len(list) < most; at += l.within(every) {
			if l.comes(f) {
				list = append(list, l.fixed(f, faults.Trigger{At: at}))
			}
		}
		return list
	}
	for n := 1; n <= mostLooks && len(list) < most; n++ {
		if l.comes(f) {
			t.Nth = n
			list = append(list, l.fixed(f, t))
		}
	}
	return list
}

// comes draws whether a fault happens.
func (l *random) comes(f *faults.Fault) bool {
	return f.Open.ChancePPM >= faults.Always || l.below(faults.Always) < f.Open.ChancePPM
}

// fixed returns a fault at a trigger with all its lengths drawn. The order of the draws is part of
// the result.
func (l *random) fixed(f *faults.Fault, t faults.Trigger) faults.Fault {
	draw := func(key string, d *time.Duration) {
		if r, ok := f.Open.Ranges[key]; ok {
			*d = max(l.within(r), min(r.Max, 1))
		}
	}
	spec, end, args := f.Spec(), f.End, f.Args
	if !f.Repeats() {
		draw("at", &t.At)
	}
	draw("after", &t.After)
	draw("for", &end.For)
	args.Durations = maps.Clone(args.Durations)
	for _, p := range append([]faults.Param{spec.Value}, spec.Params...) {
		if d, ok := args.Durations[p.Name]; ok {
			draw(p.Name, &d)
			args.Durations[p.Name] = d
		}
	}
	out := faults.Make(f.Number, spec, args, t, end)
	if out.Line = f.Line; f.MayCome() {
		out.Drawn = f.Number
	}
	return out
}
