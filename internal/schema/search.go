package schema

import (
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// chaos is the schema of the draws of faults.
func chaos() *Schema {
	kinds := choice("The verb of a fault.", faults.All(), func(spec faults.Spec) (verb, summary string) {
		return spec.Name, spec.Summary.English()
	})
	s := closed("Draws the faults of each run from its seed, instead of listing them: a subset of kinds, whom they hit, when and for how long.", Properties{
		{"pick from", &Schema{
			Type: "array", MinItems: 1, UniqueItems: true, Items: kinds,
			Description: "The kinds of faults; each run draws its own subset of them.",
		}},
		{"every", positive("span", "From one fault to the next.").withExamples("1s..3s")},
		{"for", positive("span", "How long faults last; by how much they delay, slow down or step a clock. Left out: a tenth of the lease to twice the lease.").
			withExamples("500ms..5s")},
		{"heal", form(durationForm+` +before the end`, "write a duration before the end: 5s before the end",
			"When all faults are over: this long before the clients will have done their work, one after the other.", "5s before the end").
			withDefault("0s before the end")},
	})
	s.Required = []string{"pick from", "every"}
	s.Examples = []any{object{{"pick from", []string{"pause", "partition"}}, {"every", "1s..3s"}, {"heal", "5s before the end"}}}
	return s
}

// vary is the schema of the axes of a sweep.
func vary() *Schema {
	var keys Properties
	var names []string
	for _, set := range plan.Settings {
		names = append(names, set.Key)
		keys = append(keys, Property{set.Key, values("Varies "+set.Doc+".", set.Unit)})
	}
	verbs := each.Map(faults.All(), func(spec faults.Spec) string { return spec.Name })
	return &Schema{
		Type: "object", MinProperties: 1, MaxProperties: plan.MostAxes, Properties: keys,
		Description: "What `simulate sweep` varies, two settings at most: one of those listed; a fault by its verb, which means how long it lasts or how much it does " +
			"(`pause`, `the 2nd pause`, `after of pause`); a clock (`drift of B`).",
		PropertyNames: &Schema{AnyOf: []*Schema{
			{Enum: names},
			{Pattern: `^ *(?:(?:drift|offset) +of +.+|(?:[a-z-]+ +of +)?(?:the +[0-9]{1,3}(?:st|nd|rd|th) +)?(?:` + strings.Join(verbs, "|") + `)) *$`},
		}},
		Additional: values("Varies a number of a fault or of a clock.", plan.UnitDuration, plan.UnitDrift),
		Examples:   []any{object{{"lease", []string{"500ms", "1s", "2s"}}, {"pause", "0s..5s step 500ms"}}},
	}
}

// unitForms are the forms of an axis's values.
var unitForms = map[plan.Unit]string{
	plan.UnitDuration: "[+-]?" + durationForm,
	plan.UnitCount:    "[0-9]+",
	plan.UnitShare:    `[0-9]{1,3}(?:\.[0-9]{1,4})?%`,
	plan.UnitDrift:    "[+-]?[0-9]+ppm",
}

// values is a list of values, or a range with a step.
func values(doc string, units ...plan.Unit) *Schema {
	forms := each.Map(units, func(u plan.Unit) string { return unitForms[u] })
	form := "(?:" + strings.Join(forms, "|") + ")"
	item := &Schema{Type: "string", Pattern: "^" + form + "$"}
	if units[0] == plan.UnitCount {
		item = &Schema{Type: "integer", Minimum: ptr(0)}
	}
	return &Schema{Description: doc, AnyOf: []*Schema{
		{Type: "array", MinItems: 2, MaxItems: plan.MostValues, UniqueItems: true, Items: item},
		{Type: "string", Pattern: "^" + form + ` *\.\. *` + form + " +step +" + form + "$",
			PatternErrorMessage: "write a list of values, or a range with a step: 0s..5s step 500ms"},
	}}
}
