package scenario

import (
	"strings"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// arguments reads the verb's own value and its parameters.
func (r *reader) arguments(s parts) faults.Args {
	args := faults.Args{
		Durations: map[string]time.Duration{}, Rates: map[string]int64{}, Choices: map[string]string{},
	}
	r.argument(s.verb.value, s.spec.Name, s.spec.Value, &args, s.open.Ranges)
	for _, p := range s.spec.Params {
		e, ok := s.params[p.Name]
		switch {
		case ok:
			r.argument(e.value, p.Name, p, &args, s.open.Ranges)
		case p.Default > 0:
			args.Durations[p.Name] = p.Default
		case p.Required && !s.unclear:
			r.problemf(s.verb.key, "%s needs %s: %s; add a line such as \"%s\"", s.spec.Name, p.Name, p.Doc, r.exampleOf(p.Name, p))
		}
	}
	return args
}

// argument reads one value into args, and into open if it varies.
func (r *reader) argument(n *node, key string, p faults.Param, args *faults.Args, open map[string]plan.Range) {
	example := r.exampleOf(key, p)
	if n.kind == emptyNode && !p.Required && p.Default == 0 {
		return
	}
	text, ok := "", false
	switch p.Kind {
	case faults.ParamChoice:
		text, ok = r.choice(n, key, p.Choices...)
	case faults.ParamDuration:
		least := time.Duration(1)
		if p.MayBeZero() {
			least = 0
		}
		before := len(r.problems)
		if d := r.durationOrRange(n, key, example, least, p.Name, open); len(r.problems) == before {
			args.Durations[p.Name] = d
		}
	case faults.ParamOffset:
		if d, ok := r.offset(n, key, example); ok && d != 0 {
			args.Durations[p.Name] = d
		} else if ok {
			r.problemf(n, "%s changes nothing: write %s", quote(n.text), example)
		}
	case faults.ParamRate:
		if ppm, ok := r.rate(n, key, example); ok {
			args.Rates[p.Name] = ppm
		}
	case faults.ParamSides:
		args.Sides = r.sides(n, key, example, p)
	default:
		text, ok = r.target(n, key, example, p)
	}
	switch {
	case !ok:
	case p.Name == "":
		args.Value = text
	default:
		args.Choices[p.Name] = text
	}
}

// target reads the name of a node.
func (r *reader) target(n *node, key, example string, p faults.Param) (string, bool) {
	check := r.cast.wrongNode
	switch p.Kind {
	case faults.ParamClient:
		check = func(verb, name string) string { return r.cast.wrongClient(verb, name, p.Instead) }
	case faults.ParamServer:
		check = r.cast.notServer
	}
	return read(r, n, key, example, func(text string) (string, string) {
		text = strings.Join(strings.Fields(text), " ")
		return text, check(key, text)
	})
}

// sides reads a list of sides, each of them a name or a list of names.
func (r *reader) sides(n *node, key, example string, p faults.Param) [][]string {
	items, ok := r.list(n, key, example)
	if !ok {
		return nil
	}
	if len(items) < 2 || p.Two && len(items) > 2 {
		few := "at least two sides"
		if p.Two {
			few = "two sides"
		}
		r.problemf(n, "%s needs %s, not %d: write %s", key, few, len(items), example)
		return nil
	}
	var out [][]string
	seen := map[string]bool{}
	for _, item := range items {
		names := []*node{item}
		if item.kind == listNode {
			names = item.items
			if len(names) == 0 {
				r.problemf(item, "a side of %s is empty: name a node, or remove it", key)
			}
		}
		var side []string
		for _, name := range names {
			text, ok := r.value(name, "a side of "+key, example)
			text = strings.Join(strings.Fields(text), " ")
			switch wrong := r.cast.wrongMember(key, text); {
			case !ok:
			case wrong != "":
				r.problemf(name, "%s", wrong)
			case seen[text]:
				r.problemf(name, "%s is in %s twice: a node is on one side only", text, key)
			default:
				seen[text] = true
				side = append(side, text)
			}
		}
		out = append(out, side)
	}
	return out
}

func (r *reader) exampleOf(key string, p faults.Param) string {
	switch p.Kind {
	case faults.ParamDuration:
		return key + ": 12s"
	case faults.ParamOffset:
		return key + ": +12s"
	case faults.ParamRate:
		return key + ": +5%"
	case faults.ParamChoice:
		return key + ": " + p.Choices[0]
	case faults.ParamSides:
		return key + ": [" + someone(r.cast.clients) + ", " + faults.TheStore + "]"
	case faults.ParamServer:
		return key + ": " + r.cast.someServer()
	}
	return key + ": " + someone(r.cast.clients)
}
