package playground

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// Setting is the position of a slider.
type Setting struct {
	ID    string `json:"id"`
	Index int    `json:"index"` // of Most+1 positions
	Most  int    `json:"most"`
	Text  string `json:"text"` // "10 s"
	MS    int64  `json:"ms"`   // the same in milliseconds
	Name  string `json:"name"` // "lease"
}

// control is a slider: its values, and how to read and write them in a plan.
type control struct {
	id     string
	name   string // in English, in the catalogue
	values []time.Duration
	get    func(*plan.Plan) time.Duration
	set    func(*plan.Plan, time.Duration)
	text   func(*plan.Plan) say.Phrase // nil: the duration
}

var controls = []control{
	{
		id: "lease", name: "lease", values: slices.Concat(every(time.Second, 20*time.Second, time.Second), every(25*time.Second, 60*time.Second, 5*time.Second)),
		get: func(p *plan.Plan) time.Duration { return p.Lease },
		set: func(p *plan.Plan, d time.Duration) { p.Lease = d },
	},
	{
		id: "work", name: "work", values: slices.Concat(every(250*time.Millisecond, 15*time.Second, 250*time.Millisecond), every(16*time.Second, 40*time.Second, time.Second)),
		get:  func(p *plan.Plan) time.Duration { return p.Workload.Work.Min },
		set:  func(p *plan.Plan, d time.Duration) { p.Workload.Work = stretched(p.Workload.Work, d) },
		text: func(p *plan.Plan) say.Phrase { return say.Between(p.Workload.Work.Min, p.Workload.Work.Max) },
	},
	{
		id: "pause", name: "pause", values: slices.Concat(every(0, 20*time.Second, 250*time.Millisecond), every(21*time.Second, 60*time.Second, time.Second)),
		get: func(p *plan.Plan) time.Duration { return lengthOf(p.First("pause")) },
		set: setPause,
	},
	{
		id: "latency", name: "latency", values: latencies,
		get:  func(p *plan.Plan) time.Duration { return p.Network.Latency.Min },
		set:  func(p *plan.Plan, d time.Duration) { p.Network.Latency = plan.Range{Min: d, Max: 2 * d} },
		text: func(p *plan.Plan) say.Phrase { return say.Between(p.Network.Latency.Min, p.Network.Latency.Max) },
	},
	{
		id: "lag", name: "replication lag", values: slices.Concat(every(0, time.Second, 100*time.Millisecond), every(1500*time.Millisecond, 10*time.Second, 500*time.Millisecond)),
		get: func(p *plan.Plan) time.Duration { return p.Redis.Lag },
		set: func(p *plan.Plan, d time.Duration) {
			needReplica(p)
			p.SetLag(d)
		},
	},
	{
		id: "clock", name: "clock step", values: every(-20*time.Second, 20*time.Second, time.Second),
		get: func(p *plan.Plan) time.Duration {
			if f := p.First("jump-clock"); f != nil {
				return f.Args.Durations["by"]
			}
			return 0
		},
		set: setClock,
	},
}

var latencies = []time.Duration{
	100 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second,
}

// every lists the durations from one to another.
func every(from, to, step time.Duration) (all []time.Duration) {
	for d := from; d <= to; d += step {
		all = append(all, d)
	}
	return all
}

// Controls returns the sliders, for the page.
func Controls() []Setting {
	return each.Map(controls, func(c control) Setting {
		return Setting{ID: c.id, Name: c.name, Most: len(c.values) - 1}
	})
}

// settingsOf returns the positions of the sliders for a plan.
func settingsOf(p *plan.Plan, l say.Language) (all []Setting) {
	for i := range controls {
		c := &controls[i]
		d := c.get(p)
		text := say.Said.With(say.Planned(d))
		if c.text != nil {
			text = c.text(p)
		}
		all = append(all, Setting{ID: c.id, Index: nearest(c.values, d), Most: len(c.values) - 1, Text: text.In(l), MS: d.Milliseconds(), Name: say.Text(c.name).In(l)})
	}
	return all
}

// nearest is the index of the value that is closest to d.
func nearest(values []time.Duration, d time.Duration) int {
	best := 0
	for i, v := range values {
		if (v - d).Abs() < (values[best] - d).Abs() {
			best = i
		}
	}
	return best
}

// turn moves a slider.
func turn(p *plan.Plan, id string, index int) error {
	for i := range controls {
		if c := &controls[i]; c.id == id {
			c.set(p, c.values[min(max(index, 0), len(c.values)-1)])
			return nil
		}
	}
	return fmt.Errorf("there is no slider %q", id)
}

// stretched is a range that begins at least, scaled in proportion.
func stretched(r plan.Range, least time.Duration) plan.Range {
	if r.Min <= 0 {
		return plan.Range{Min: least, Max: least}
	}
	most := least.Milliseconds() * r.Max.Milliseconds() / max(r.Min.Milliseconds(), 1) // in ms, so that the product fits
	return plan.Range{Min: least, Max: max((time.Duration(most) * time.Millisecond).Round(grain), least)}
}

func lengthOf(f *faults.Fault) time.Duration {
	if f == nil {
		return 0
	}
	return f.End.For
}

// setPause sets the length of the first pause; 0 removes it. A new pause hits the first client a
// second after it has entered its critical section.
func setPause(p *plan.Plan, d time.Duration) {
	f := p.First("pause")
	switch {
	case f == nil && d > 0:
		add(p, "pause", faults.Args{Value: p.Clients[0]}, inside(p, time.Second), faults.End{For: d})
	case f != nil && d == 0:
		remove(p, f.Number)
	case f != nil:
		*f = faults.Make(f.Number, f.Spec(), f.Args, f.Trigger, faults.End{For: d})
	}
}

// setClock sets the size of the first clock step; 0 removes it. A new step changes the clock of the
// primary, soon after the first client has entered its critical section.
func setClock(p *plan.Plan, d time.Duration) {
	f := p.First("jump-clock")
	args := faults.Args{Value: faults.ThePrimary, Durations: map[string]time.Duration{"by": d}}
	switch {
	case f == nil && d != 0:
		add(p, "jump-clock", args, inside(p, 500*time.Millisecond), faults.End{})
	case f != nil && d == 0:
		remove(p, f.Number)
	case f != nil:
		args.Value = f.Args.Value
		*f = faults.Make(f.Number, f.Spec(), args, f.Trigger, f.End)
	}
}

// inside is the time after the first client has entered its critical section.
func inside(p *plan.Plan, after time.Duration) faults.Trigger {
	return faults.Trigger{Moment: faults.InSection, Subject: p.Clients[0], Nth: 1, After: after}
}

// add appends a fault. The plan keeps what its chaos has drawn, and draws no more.
func add(p *plan.Plan, verb string, args faults.Args, trigger faults.Trigger, end faults.End) {
	number := 1
	for _, f := range p.Faults {
		number = max(number, f.Number+1)
	}
	spec, _ := faults.Lookup(verb)
	p.Chaos = nil
	p.Faults = append(p.Faults, faults.Make(number, spec, args, trigger, end))
}

func remove(p *plan.Plan, number int) {
	p.Faults = slices.DeleteFunc(p.Faults, func(f faults.Fault) bool { return f.Number == number })
}
