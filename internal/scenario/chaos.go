package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/chaos"
	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/store"
)

const chaosExample = "chaos: {pick from: [pause, partition], every: 1s..3s, heal: 5s before the end}"

// seed reads the default seed.
func (r *reader) seed(n *node, p *plan.Plan) {
	p.Seed, _ = read(r, n, "seed", "seed: 7", func(text string) (uint64, string) {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil || seed == 0 || !wholeForm.MatchString(text) {
			return 0, fmt.Sprintf("seed must be a whole number from 1 to %d, not %s: write seed: 7", uint64(math.MaxUint64), quote(text))
		}
		return seed, ""
	})
}

// chaos reads how the faults of each run are drawn.
func (r *reader) chaos(e entry, top group, p *plan.Plan) {
	if listed, both := top["faults"]; both {
		r.problemf(listed.key, "a scenario lists its faults or draws them by chaos, not both: remove one")
	}
	before := len(r.problems)
	g := r.group(e.value, "chaos", chaosExample, "pick from", "every", "for", "heal")
	if g == nil {
		return
	}
	c := &plan.Chaos{For: plan.Range{Min: p.Lease / 10, Max: 2 * p.Lease}, Servers: r.cast.hit(p)}
	c.From = r.pickFrom(e, g, p)
	if every, ok := g["every"]; ok {
		c.Every = r.spanFrom(every.value, "every", "every: 1s..3s", leastEvery)
	} else {
		r.problemf(e.key, "how often does chaos strike? add a line such as \"every: 1s..3s\"")
	}
	if length, ok := g["for"]; ok {
		c.For = r.spanFrom(length.value, "for", "for: 500ms..5s", time.Millisecond)
	}
	c.Heal = r.heal(g["heal"].value)
	p.Chaos = c
	if len(r.problems) == before && !r.clientsUnclear {
		r.timeForChaos(e.key, p)
	}
}

// spanFrom reads a range whose minimum is least or more.
func (r *reader) spanFrom(n *node, name, example string, least time.Duration) plan.Range {
	before := len(r.problems)
	s := r.span(n, name, example)
	if s.Min < least && s.Percentiles == nil && len(r.problems) == before {
		r.problemf(n, "%s is too short for %s: write %s or more", quote(n.text), name, faults.Duration(max(least, time.Millisecond)))
	}
	return s
}

// heal reads 5s before the end.
func (r *reader) heal(n *node) time.Duration {
	d, _ := read(r, n, "heal", "heal: 5s before the end", func(text string) (time.Duration, string) {
		rest, found := strings.CutSuffix(text, " before the end")
		d, wrong := parseDuration(strings.TrimSpace(rest))
		if wrong == "" && !found {
			wrong = "heal counts back from the end of the work: write " + text + " before the end"
		}
		return d, wrong
	})
	return d
}

// pickFrom reads the verbs.
func (r *reader) pickFrom(e entry, g group, p *plan.Plan) []string {
	list, ok := g["pick from"]
	if !ok {
		r.problemf(e.key, "what does chaos pick from? add a line such as \"pick from: [pause, partition]\"")
		return nil
	}
	items, ok := r.list(list.value, "pick from", "pick from: [pause, partition]")
	if ok && len(items) == 0 {
		r.problemf(list.value, "pick from is empty: name at least one fault, such as pause")
	}
	var out []string
	for _, item := range items {
		name, ok := r.value(item, "pick from", "pick from: [pause, partition]")
		spec, isVerb := faults.Lookup(name)
		switch {
		case !ok:
		case !isVerb:
			r.problemf(item, "unknown fault %s: %s", quote(name), suggest(name, verbNames()))
		case slices.Contains(out, name):
			r.problemf(item, "%s is in pick from twice: remove one", name)
		case spec.Lasting && len(p.Clients) <= chaos.LeastClients && !r.clientsUnclear:
			r.problemf(item, "%s ends a client for good, and %d must be left to contend: name more clients, or remove %s", name, chaos.LeastClients, name)
		default:
			if spec.Replica {
				r.needReplica(parts{spec: spec, verb: &entry{key: item, value: item}}, p)
			}
			out = append(out, name)
		}
	}
	return out
}

// timeForChaos checks that every run draws at least one fault, and not too many.
func (r *reader) timeForChaos(at *node, p *plan.Plan) {
	end, c := p.WorkEnd(), p.Chaos
	left := end - c.Heal
	switch {
	case left <= c.Every.Max:
		r.problemf(at, "chaos has no time: the work of %d clients can be done after %s, and until %s of it the first fault may take %s; repeat more often, work longer, or heal later",
			len(p.Clients), faults.Duration(end), faults.Duration(max(left, 0)), faults.Duration(c.Every.Max))
	case left/c.Every.Min > chaos.MostFaults:
		r.problemf(at, "chaos could strike %d times until %s, and %d is the most: make every longer, or the work shorter",
			left/c.Every.Min, faults.Duration(left), chaos.MostFaults)
	}
}

// hit returns the servers that chaos may aim at: the primary, or each server where no lock has a
// primary.
func (c *cast) hit(p *plan.Plan) []string {
	primary := func(id string) bool { return storeOf(p, id).Topology != store.Independent }
	if all := c.everywhere(); len(all) > 0 && !slices.ContainsFunc(p.Locks, primary) {
		return all
	}
	return []string{faults.ThePrimary}
}

// chaos prints how the faults are drawn.
func (w *writer) chaos(p *plan.Plan) {
	c := p.Chaos
	w.line(0, "\n# The work may end at %s; each run draws its own subset of these kinds.", faults.Duration(p.WorkEnd()))
	w.line(0, "chaos:")
	w.line(1, "pick from: [%s]", strings.Join(c.From, ", "))
	w.line(1, "every: %s", c.Every.Text(faults.Duration))
	w.line(1, "for: %s", c.For.Text(faults.Duration))
	w.line(1, "heal: %s before the end", faults.Duration(c.Heal))
}

// vary prints the axes of a sweep.
func (w *writer) vary(p *plan.Plan) {
	if len(p.Vary) == 0 {
		return
	}
	w.line(0, "\nvary:")
	for _, a := range p.Vary {
		values := each.Map(a.Values, a.Say)
		w.line(1, "%s: [%s]", a.Name, strings.Join(values, ", "))
	}
}

// axisExamples are example values for the axes of each unit.
var axisExamples = map[plan.Unit]string{
	plan.UnitDuration: "[500ms, 1s, 2s], or 0s..5s step 500ms",
	plan.UnitCount:    "[0, 1, 2], or 0..4 step 2",
	plan.UnitShare:    "[0%, 1%, 5%], or 0%..5% step 1%",
	plan.UnitDrift:    "[0ppm, 200ppm], or 0ppm..1000ppm step 200ppm",
}

func exampleOfAxis(name string, u plan.Unit) string {
	return fmt.Sprintf("%s: %s", name, axisExamples[u])
}
