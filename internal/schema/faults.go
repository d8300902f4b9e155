package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/scenario"
)

// atOnce allows no delay, for a fault that acts on a command on its way.
var atOnce = &Schema{Pattern: `^[^1-9]*$`, PatternErrorMessage: "it acts on the command of its moment and cannot wait: remove after"}

// faultList is the list of faults. One key of each fault is its verb, which determines the others.
func faultList() *Schema {
	fault := closed("One fault: when it happens, what happens, and how long it lasts.", faultKeys())
	fault.DependentRequired = map[string][]string{faults.AfterKey: {"when"}}
	var verbs []*Schema
	for _, spec := range faults.All() {
		verbs = append(verbs, &Schema{Required: []string{spec.Name}})
		fault.AllOf = append(fault.AllOf, verbRules(spec))
		if example := exampleOf(spec); example != nil {
			fault.Examples = append(fault.Examples, example)
			fault.DefaultSnippets = append(fault.DefaultSnippets, Snippet{spec.Name, spec.Summary.English(), example})
		}
	}
	fault.AllOf = append(fault.AllOf, &Schema{OneOf: demand(faults.TriggerKeys)}, &Schema{OneOf: verbs})
	return &Schema{
		Type: "array", MaxItems: scenario.MostFaults, Items: fault,
		Description: "What goes wrong. All faults but those forever are healed before the final quiet period, in which progress is judged.",
	}
}

// demand returns one alternative for each key.
func demand(keys []string) []*Schema {
	return each.Map(keys, func(key string) *Schema { return &Schema{Required: []string{key}} })
}

// faultKeys returns all keys that a fault can have; verbRules refines verbs and their parameters.
func faultKeys() Properties {
	keys := Properties{
		{"when", like("moment", "It happens at this moment.")},
		{"at", like("span", "It happens at this time of the run.").withExamples("2s")},
		{"every", positive("span", "It happens again and again, this much later each time, 1ms or more.").withExamples("5s")},
		{faults.AfterKey, like("span", "How long after the moment of when it happens.").withExamples("40ms")},
		{faults.ChanceKey, positive("share", "How likely it is each time. Left out: always.").withExamples("5%")},
	}
	params := map[string][]string{}
	var names []string
	for _, spec := range faults.All() {
		keys = append(keys, Property{spec.Name, &Schema{Description: spec.Summary.English()}})
		for _, p := range spec.Params {
			if params[p.Name] == nil {
				names = append(names, p.Name)
			}
			params[p.Name] = append(params[p.Name], "of "+spec.Name+": "+p.Doc)
		}
	}
	for _, name := range names {
		keys = append(keys, Property{name, &Schema{Description: strings.Join(params[name], "; ")}})
	}
	return append(keys, Properties{
		{"for", positive("span", "It lasts that long.").withExamples("15s")},
		{"until", like("moment", "It lasts until this moment.")},
		{"forever", &Schema{Const: true, Description: "It is never healed, not even before the final quiet period."}},
	}...)
}

// verbRules says which keys go with a verb.
func verbRules(spec faults.Spec) *Schema {
	then := &Schema{Properties: Properties{{spec.Name, valueOf(spec.Value, spec.Summary.English())}}}
	allowed := append(slices.Clone(faults.TriggerKeys), faults.AfterKey, faults.ChanceKey, spec.Name)
	for _, p := range spec.Params {
		then.Properties = append(then.Properties, Property{p.Name, valueOf(p, p.Doc)})
		allowed = append(allowed, p.Name)
		if p.Required {
			then.Required = append(then.Required, p.Name)
		}
	}
	if spec.OnWire {
		then.Properties = append(then.Properties, Property{"when", ref("moment on the wire")}, Property{faults.AfterKey, atOnce})
		then.Required = append(then.Required, "when")
	}
	if spec.Ends {
		allowed = append(allowed, faults.EndKeys...)
		then.OneOf = demand(faults.EndKeys)
	}
	then.PropertyNames = &Schema{Enum: allowed}
	return &Schema{If: &Schema{Required: []string{spec.Name}}, Then: then}
}

// valueOf is the schema of a parameter.
func valueOf(p faults.Param, doc string) *Schema {
	s := &Schema{}
	switch p.Kind {
	case faults.ParamChoice:
		s = &Schema{Type: "string", Enum: p.Choices}
	case faults.ParamDuration:
		if s = positive("span", ""); p.MayBeZero() {
			s = like("span", "")
		}
	case faults.ParamOffset:
		s = positive("offset", "")
	case faults.ParamRate:
		s = positive("rate", "")
	case faults.ParamSides:
		s = sides(p)
	case faults.ParamServer:
		s = name("name the primary, or a server such as redis-1", serverForm, faults.ThePrimary)
	case faults.ParamClient:
		s = name("name a client, the holder, the next holder or that client", clientForm, subjectWords[1:]...)
	case faults.ParamNode:
		s = name("name a client, a server, the holder, the next holder or the primary", clientForm, nodeWords...)
	}
	if p.Default > 0 {
		s.Default = faults.Duration(p.Default)
	}
	s.Description = doc
	return s
}

// name is the schema of a node's name: a pattern, or one of a few words.
func name(message, of string, words ...string) *Schema {
	s := &Schema{
		Type: []string{"string", "integer"}, Pattern: "^(?:" + of + "|" + phrases(words...) + ")$",
		PatternErrorMessage: message,
	}
	for _, w := range words {
		s.Examples = append(s.Examples, w)
	}
	return s
}

func sides(p faults.Param) *Schema {
	s := &Schema{Type: "array", MinItems: 2, Items: &Schema{AnyOf: []*Schema{
		ref("member"),
		{Type: "array", MinItems: 1, Items: ref("member")},
	}}}
	if p.Two {
		s.MaxItems = 2
	}
	s.Examples = []any{[]any{"A", faults.TheStore}, []any{[]any{"A", "B"}, faults.TheStore}}
	return s
}

// exampleOf turns the example of a verb, which is YAML, into an object; nil if it is not one fault.
func exampleOf(spec faults.Spec) object {
	var list []yaml.MapSlice
	if err := yaml.Unmarshal([]byte(spec.Example), &list); err != nil || len(list) != 1 {
		return nil // a test checks that every verb has an example
	}
	var o object
	for _, item := range list[0] {
		o = append(o, member[any]{fmt.Sprint(item.Key), item.Value})
	}
	return o
}
