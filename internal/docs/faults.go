package docs

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// Faults are all verbs.
func (w *writer) Faults() []faults.Spec { return faults.All() }

// FaultRows link to the verbs.
func (w *writer) FaultRows() [][]string {
	return each.Map(faults.All(), func(spec faults.Spec) []string {
		return []string{linkInto(text(spec.Name), "faults.md", spec.Name), text(spec.Summary.English())}
	})
}

// StoriesWith are the stories with a verb.
func (w *writer) StoriesWith(verb string) string {
	return w.stories(func(p *plan.Plan) bool {
		return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool { return f.Verb.Name() == verb })
	})
}

// parameters describe the keys of a verb, its own name first.
func parameters(spec faults.Spec) [][]string {
	row := func(name string, p faults.Param) []string {
		return []string{code(name), takes(p), needed(p), text(p.Doc)}
	}
	of := func(p faults.Param) []string { return row(p.Name, p) }
	return append([][]string{row(spec.Name, spec.Value)}, each.Map(spec.Params, of)...)
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
		return strings.Join(each.Map(p.Choices, code), " or ")
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
