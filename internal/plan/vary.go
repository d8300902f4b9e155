package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/rng/spread"
)

// Limits on a sweep: a map with more is unreadable.
const (
	MostAxes   = 2
	MostValues = 40 // of one axis
)

// Unit is what the values of an axis count.
type Unit uint8

// The units of axes.
const (
	UnitDuration Unit = iota // nanoseconds
	UnitCount                // of replicas
	UnitShare                // millionths, written as a percentage
	UnitDrift                // millionths, written in ppm
)

// Axis is one setting that a sweep varies.
type Axis struct {
	Name   string // as the file says it: lease, pause, after of the 2nd pause
	Unit   Unit
	Values []int64 // in the order of the file, at least two

	Key   string // what is set: lease, latency, ...; of a fault for, at, after, a parameter, or the verb for its own value
	Fault int    // number of its fault; 0 for none
	Node  string // whose clock it sets; "" for none
}

// Setting is something other than a fault or a clock that an axis can vary.
type Setting struct {
	Key   string
	Doc   string
	Unit  Unit
	Least int64
	set   func(p *Plan, v int64)
}

// Settings are all of them, in reading order.
var Settings = []Setting{
	{"lease", "how long the store remembers the holder", UnitDuration, 1, func(p *Plan, v int64) { p.Lease = time.Duration(v) }},
	{"work", "how long the work in the critical section takes", UnitDuration, 0, func(p *Plan, v int64) { p.Workload.Work = constant(v) }},
	{"rest", "how long a client rests between two rounds", UnitDuration, 0, func(p *Plan, v int64) { p.Workload.Rest = constant(v) }},
	{"retry", "how long a lock that spins waits between two tries", UnitDuration, int64(time.Millisecond), func(p *Plan, v int64) { p.Workload.Retry = time.Duration(v) }},
	{"latency", "how long a message takes, one way", UnitDuration, 0, func(p *Plan, v int64) { p.Network.Latency = constant(v) }},
	{"loss", "the share of commands that lose their request or their reply", UnitShare, 0, func(p *Plan, v int64) { p.Network.LossPPM = v }},
	{"timeout", "how long a client waits for a reply", UnitDuration, 1, func(p *Plan, v int64) { p.Network.Timeout = time.Duration(v) }},
	{"replicas", "how many replicas each primary has", UnitCount, 0, func(p *Plan, v int64) { p.SetReplicas(func(int) int { return int(v) }) }},
	{"lag", "how late replicas apply what the primary executed", UnitDuration, 0, func(p *Plan, v int64) { p.SetLag(time.Duration(v)) }},
}

func constant(v int64) Range { return spread.Fixed(time.Duration(v)) }

// Point returns the plan with one value for each of its axes, in their order. A fault that no
// longer does anything, such as a pause of 0s, is left out.
func (p *Plan) Point(values ...int64) *Plan {
	out := *p
	out.Vary = nil
	out.Clocks = slices.Clone(p.Clocks)
	list := slices.Clone(p.Faults)
	gone := map[int]bool{}
	for i, a := range p.Vary {
		switch {
		case a.Fault > 0:
			f := &list[a.Fault-1]
			gone[a.Fault] = !setFault(f, a.Key, values[i]) || gone[a.Fault]
		case a.Node != "":
			out.setClock(a.Node, a.Key, values[i])
		default:
			k := slices.IndexFunc(Settings, func(s Setting) bool { return s.Key == a.Key })
			Settings[k].set(&out, values[i])
		}
	}
	list = slices.DeleteFunc(list, func(f faults.Fault) bool { return gone[f.Number] })
	return out.WithFaults(list)
}

func (p *Plan) setClock(node, key string, v int64) {
	i := slices.IndexFunc(p.Clocks, func(c Clock) bool { return c.Node == node })
	if i < 0 {
		i, p.Clocks = len(p.Clocks), append(p.Clocks, Clock{Node: node})
	}
	if key == "drift" {
		p.Clocks[i].DriftPPM = v
	} else {
		p.Clocks[i].Offset = time.Duration(v)
	}
}

// setFault sets one number of a fault and reports whether the fault still does anything.
func setFault(f *faults.Fault, key string, v int64) bool {
	d := time.Duration(v)
	switch key {
	case "at":
		f.Trigger.At = d
		return true
	case "after":
		f.Trigger.After = d
		return true
	case "for":
		f.End.For = d
		return v != 0
	}
	if key == f.Verb.Name() {
		key = "" // the verb's own value has no name
	}
	if _, ok := f.Args.Rates[key]; ok {
		f.Args.Rates = maps.Clone(f.Args.Rates)
		f.Args.Rates[key] = v
	} else {
		f.Args.Durations = maps.Clone(f.Args.Durations)
		f.Args.Durations[key] = d
	}
	return v != 0 || slices.ContainsFunc(f.Spec().Params, func(p faults.Param) bool {
		return p.Name == key && p.MayBeZero()
	})
}

// FaultKeys returns the numbers of a fault that an axis can vary, with their units; the first one
// is what the verb alone means.
func FaultKeys(f *faults.Fault) (keys []string, units []Unit) {
	spec := f.Spec()
	add := func(key string, u Unit) { keys, units = append(keys, key), append(units, u) }
	for _, p := range append([]faults.Param{spec.Value}, spec.Params...) {
		name := p.Name
		if name == "" {
			name = spec.Name
		}
		switch {
		case p.Timed():
			add(name, UnitDuration)
		case p.Kind == faults.ParamRate:
			add(name, UnitDrift)
		}
	}
	if f.End.For > 0 {
		add("for", UnitDuration)
	}
	switch {
	case f.Trigger.Moment != faults.NoMoment && !spec.OnWire:
		add("after", UnitDuration)
	case f.Trigger.Moment == faults.NoMoment && f.Trigger.Every == 0:
		add("at", UnitDuration)
	}
	return keys, units
}

// Say prints a value of the axis in the notation of a scenario.
func (a *Axis) Say(v int64) string {
	switch a.Unit {
	case UnitDuration:
		return faults.Duration(time.Duration(v))
	case UnitShare:
		return Percent(v)
	case UnitDrift:
		return fmt.Sprintf("%dppm", v)
	}
	return fmt.Sprint(v)
}

// Percent prints millionths in the notation of a scenario: 0.5%.
func Percent(ppm int64) string {
	text := fmt.Sprintf("%d.%04d", ppm/10_000, ppm%10_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// scaledAxes scales the values that are durations.
func scaledAxes(axes []Axis, scale func(time.Duration) time.Duration) []Axis {
	var out []Axis
	for _, a := range axes {
		a.Values = slices.Clone(a.Values)
		for i, v := range a.Values {
			if a.Unit == UnitDuration {
				a.Values[i] = int64(scale(time.Duration(v)))
			}
		}
		out = append(out, a)
	}
	return out
}
