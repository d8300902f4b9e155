package scenario

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

const varyExample = "vary: {lease: [500ms, 1s, 2s], pause: 0s..5s step 500ms}"

var (
	stepForm = regexp.MustCompile(`^(.+?) *\.\. *(.+?) +step +(.+)$`)
	nthForm  = regexp.MustCompile(`^the ([0-9]{1,3})(?:st|nd|rd|th) (.+)$`)
)

// vary reads the axes of a sweep, after the faults.
func (r *reader) vary(n *node, p *plan.Plan) {
	entries, ok := r.entries(n, "vary", varyExample)
	if !ok {
		return
	}
	if len(entries) == 0 {
		r.problemf(n, "vary is empty: write %s", varyExample)
	}
	if len(entries) > plan.MostAxes {
		r.problemf(entries[plan.MostAxes].key, "a map has %d axes, this one has %d: sweep the others in a file of their own", plan.MostAxes, len(entries))
		return
	}
	for _, e := range entries {
		a, least, wrong := r.axis(e.key.text, p)
		if wrong != "" {
			r.problemf(e.key, "%s", wrong)
			continue
		}
		if a.Values, ok = r.axisValues(e.value, a, least); !ok {
			continue
		}
		same := func(b plan.Axis) bool {
			return a.Key == b.Key && a.Fault == b.Fault && a.Node == b.Node
		}
		if i := slices.IndexFunc(p.Vary, same); i >= 0 {
			r.problemf(e.key, "%s and %s are the same setting: keep one", p.Vary[i].Name, a.Name)
			continue
		}
		r.checkLeases(e.value, a, p)
		p.Vary = append(p.Vary, a)
	}
}

// axis resolves a name: a setting, the clock of a node, or a number of a fault. It returns the
// least value, and what is wrong.
func (r *reader) axis(name string, p *plan.Plan) (a plan.Axis, least int64, wrong string) {
	name = strings.Join(strings.Fields(name), " ")
	for _, s := range plan.Settings {
		if s.Key == name {
			if (name == "replicas" || name == "lag") && !r.replicates(p) {
				return a, 0, name + " has no effect: no lock of this scenario keeps its entries in a primary with replicas"
			}
			if name == "replicas" && p.Redis.Cluster.Shards > 0 {
				return a, 0, "replicas has no effect: the shards of a Redis Cluster have replicas of their own, and their number cannot be varied"
			}
			return plan.Axis{Name: name, Key: name, Unit: s.Unit}, s.Least, ""
		}
	}
	key, of, _ := strings.Cut(name, " of ")
	if of != "" && (key == "drift" || key == "offset") {
		unit := map[string]plan.Unit{"drift": plan.UnitDrift, "offset": plan.UnitDuration}[key]
		return plan.Axis{Name: name, Key: key, Unit: unit, Node: of}, anyValue, r.cast.wrongClock(of)
	}
	if of == "" {
		key, of = "", name
	}
	return r.faultAxis(name, key, of, p)
}

// anyValue is the least value of an axis whose values have a sign.
const anyValue = -1 << 62

// replicates reports whether the store of some lock is a primary that may have replicas.
func (r *reader) replicates(p *plan.Plan) bool {
	return r.locksUnclear || slices.ContainsFunc(p.Locks, func(id string) bool { return storeOf(p, id).Topology == store.Replicated })
}

// faultAxis finds the fault of an axis: a verb, or the 2nd pause.
func (r *reader) faultAxis(name, key, of string, p *plan.Plan) (a plan.Axis, least int64, wrong string) {
	nth := 0
	if m := nthForm.FindStringSubmatch(of); m != nil {
		nth, _ = strconv.Atoi(m[1])
		of = m[2]
	}
	if _, ok := faults.Lookup(of); !ok {
		return a, 0, unknownAxis(name)
	}
	var found []*faults.Fault
	for i := range p.Faults {
		if p.Faults[i].Verb.Name() == of {
			found = append(found, &p.Faults[i])
		}
	}
	switch {
	case len(found) == 0:
		return a, 0, "there is no " + of + " among the faults of this scenario: add one, or vary something else"
	case nth == 0 && len(found) > 1:
		return a, 0, "there are " + strconv.Itoa(len(found)) + " faults " + of + ": say which one, such as " + quote(strings.Replace(name, of, "the 2nd "+of, 1))
	case nth > len(found):
		return a, 0, "this scenario has fewer faults " + of + ": the last one is number " + strconv.Itoa(len(found))
	}
	f := found[max(nth, 1)-1]
	keys, units := plan.FaultKeys(f)
	for i := range keys {
		if key == "" && keys[i] != "after" && keys[i] != "at" || key == keys[i] {
			if f.Open != nil && f.Open.Ranges[openKey(f, keys[i])].Max > 0 {
				return a, 0, "the " + keys[i] + " of this " + of + " is drawn in each run: give it one value to vary, or vary something else"
			}
			return plan.Axis{Name: name, Key: keys[i], Unit: units[i], Fault: f.Number}, leastOf(f, keys[i]), ""
		}
	}
	if key == "" {
		return a, 0, "this " + of + " has no length: what can vary is " + list(keys, " of "+of)
	}
	return a, 0, "this " + of + " has no " + quote(key) + ": what can vary is " + list(keys, " of "+of)
}

// leastOf is the least value of a number of a fault, which may have a sign.
func leastOf(f *faults.Fault, key string) int64 {
	for _, p := range f.Spec().Params {
		if p.Name == key && (p.Kind == faults.ParamOffset || p.Kind == faults.ParamRate) {
			return anyValue
		}
	}
	return 0
}

// openKey is the key of a number among the open ranges of a fault: the verb's own value has none.
func openKey(f *faults.Fault, key string) string {
	if key == f.Verb.Name() {
		return ""
	}
	return key
}

func list(keys []string, behind string) string {
	if len(keys) == 0 {
		return "nothing"
	}
	return strings.Join(keys, behind+", ") + behind
}

func unknownAxis(name string) string {
	settings := each.Map(plan.Settings, func(s plan.Setting) string { return s.Key })
	known := slices.Concat([]string{"drift of A", "offset of A"}, settings, verbNames())
	return "nothing is called " + quote(name) + " that could vary: " + suggest(name, known)
}

// axisValues reads a list of values, or a range with a step.
func (r *reader) axisValues(n *node, a plan.Axis, least int64) ([]int64, bool) {
	before := len(r.problems)
	var out []int64
	if n.kind == listNode {
		for _, item := range n.items {
			if v, ok := r.axisValue(item, a, least); ok {
				out = append(out, v)
			}
		}
	} else if text, ok := r.value(n, a.Name, exampleOfAxis(a.Name, a.Unit)); ok {
		out = r.steps(n, text, a, least)
	}
	if len(r.problems) > before {
		return nil, false
	}
	if len(out) < 2 || len(out) > plan.MostValues {
		r.problemf(n, "an axis has 2 to %d values, this one has %d: write %s", plan.MostValues, len(out), exampleOfAxis(a.Name, a.Unit))
		return nil, false
	}
	for i, v := range out {
		if slices.Contains(out[:i], v) {
			r.problemf(n, "%s stands in %s twice: remove one", a.Say(v), a.Name)
			return nil, false
		}
	}
	return out, true
}

// steps reads 0s..5s step 500ms.
func (r *reader) steps(n *node, text string, a plan.Axis, least int64) []int64 {
	m := stepForm.FindStringSubmatch(text)
	if m == nil {
		r.problemf(n, "%s are no values to vary: write %s", quote(text), exampleOfAxis(a.Name, a.Unit))
		return nil
	}
	part := func(text string) *node {
		c := *n
		c.text = strings.TrimSpace(text)
		return &c
	}
	from, ok := r.axisValue(part(m[1]), a, least)
	to, okToo := r.axisValue(part(m[2]), a, least)
	step, okStep := r.axisValue(part(m[3]), a, 0)
	switch {
	case !ok || !okToo || !okStep:
		return nil
	case step == 0:
		r.problemf(n, "a step of %s leads nowhere: write %s", a.Say(0), exampleOfAxis(a.Name, a.Unit))
		return nil
	case from > to:
		r.problemf(n, "the range %s runs backwards: write %s..%s step %s", quote(text), a.Say(to), a.Say(from), a.Say(step))
		return nil
	case (to-from)/step >= plan.MostValues:
		r.problemf(n, "%s has %d values, and %d is the most: make the step longer", quote(text), (to-from)/step+1, plan.MostValues)
		return nil
	}
	var out []int64
	for v := from; v <= to; v += step {
		out = append(out, v)
	}
	return out
}

// axisValue reads one value in the unit of its axis.
func (r *reader) axisValue(n *node, a plan.Axis, least int64) (int64, bool) {
	example := exampleOfAxis(a.Name, a.Unit)
	switch a.Unit {
	case plan.UnitCount:
		v, ok := r.count(n, a.Name, example, int(least), plan.MaxReplicas)
		return int64(v), ok
	case plan.UnitShare:
		return r.percent(n, a.Name, example)
	case plan.UnitDrift:
		return r.drift(n, a.Name, example)
	}
	if least < 0 {
		v, ok := r.offset(n, a.Name, example)
		return int64(v), ok
	}
	v, ok := r.duration(n, a.Name, example, time.Duration(least))
	return int64(v), ok
}

// checkLeases checks that every lock supports the leases of an axis.
func (r *reader) checkLeases(n *node, a plan.Axis, p *plan.Plan) {
	if a.Key != "lease" || a.Fault > 0 {
		return
	}
	for i, value := range a.Values {
		at := n
		if n.kind == listNode {
			at = n.items[i]
		}
		for _, id := range p.Locks {
			v, _ := p.Lock(id)
			if err := v.CheckLease(time.Duration(value)); err != nil {
				r.problemf(at, "%s", err.Error())
			}
		}
	}
}
