package docs

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

const faultsPage = "faults.md"

// faults has a section for each verb.
func (w *writer) faults() Page {
	body := []string{
		heading(1, "Faults"),
		"The simulator plays all of them, and real servers all but a few, which are refused with the reason. What " + code("when") + " can wait for: " +
			linkInto("the moments", scenarioPage, anchorOfMoments) + ".",
	}
	for _, spec := range faults.All() {
		body = append(body, w.fault(spec)...)
	}
	return page(faultsPage, "the Spec of each verb in internal/faults", body...)
}

func (w *writer) fault(spec faults.Spec) []string {
	rows := [][]string{{code(spec.Name), takes(spec.Value), needed(spec.Value), text(spec.Value.Doc)}}
	for _, p := range spec.Params {
		rows = append(rows, []string{code(p.Name), takes(p), needed(p), text(p.Doc)})
	}
	return []string{
		heading(2, spec.Name),
		text(spec.Summary.English()),
		block("yaml", "faults:\n"+indented(spec.Example)),
		table([]string{"key", "takes", "needed", "what it is"}, rows),
		"**It begins** " + begins(spec) + " **It ends** " + endsOf(spec),
		w.stories(func(p *plan.Plan) bool {
			return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool { return f.Verb.Name() == spec.Name })
		}),
	}
}

func indented(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// values describes the values of a parameter, by its kind.
var values = map[faults.ParamKind]string{
	faults.ParamNode:     "a client, a server, the holder, the next holder or the primary",
	faults.ParamClient:   "a client, the holder or the next holder",
	faults.ParamServer:   "a server or the primary",
	faults.ParamDuration: "a duration, such as `12s`",
	faults.ParamOffset:   "a duration with a sign, such as `+12s`",
	faults.ParamRate:     "a change of a rate, such as `+5%` or `-200ppm`",
	faults.ParamSides:    "two or more sides, each a name or a list of names",
}

// takes describes the values that a parameter may have.
func takes(p faults.Param) string {
	switch {
	case p.Two:
		return "two sides, each a name or a list of names"
	case p.Kind == faults.ParamChoice:
		return strings.Join(each(p.Choices, code), " or ")
	}
	return cmp.Or(values[p.Kind], "nothing")
}

func needed(p faults.Param) string {
	switch {
	case p.Required:
		return "yes"
	case p.Default > 0:
		return "no: " + code(faults.Duration(p.Default))
	}
	return "no"
}

func begins(spec faults.Spec) string {
	said := "at a moment (" + code("when") + "), at a time (" + code("at") + ") or again and again (" + code("every") + ")."
	if spec.OnWire {
		said = "at a moment of one command (" + code("when: A is about to send SET") + "): it acts on that command."
	}
	if spec.Replica {
		said += " There must be a replica: " + code("servers: {redis: {replicas: 1}}") + "."
	}
	return said
}

func endsOf(spec faults.Spec) string {
	some := "one of " + code("for") + ", " + code("until") + " and " + code("forever: true")
	switch spec.Ends {
	case faults.EndRequired:
		return "with " + some + ", which it needs."
	case faults.EndOptional:
		return "with " + some + ", if it has one."
	}
	return "as soon as it has happened."
}
