package schema

import (
	"encoding/json"
	"reflect"

	"lockstep/internal/checker"
	"lockstep/internal/report/export"
)

// Result returns the schema of result.json and of what `simulate run --json` prints, derived from
// the types written.
func Result() *Schema {
	outcome := choice("The outcome.", checker.Letters, func(l checker.LetterMeaning) (letter, means string) {
		return string(l.Letter), l.Means.English()
	})
	special := map[reflect.Type]*Schema{
		reflect.TypeFor[checker.Letter]():  outcome,
		reflect.TypeFor[json.RawMessage](): {AnyOf: []*Schema{ref("run"), ref("seeds")}},
	}
	of := func(t reflect.Type, description string) *Schema {
		s := typed(t, special)
		s.Description = description
		return s
	}
	return &Schema{
		Dialect:     dialect,
		Title:       "A result of lockstep",
		Description: "What `simulate run --json` prints. A run directory's result.json is the first of its forms, #/$defs/run.",
		AnyOf:       []*Schema{ref("run"), ref("seeds"), ref("several")},
		Defs: Properties{
			{"run", of(reflect.TypeFor[export.RunResult](), "One scenario with one seed, played with its locks.")},
			{"seeds", of(reflect.TypeFor[export.SeedsResult](), "One scenario with many seeds: run --times.")},
			{"several", of(reflect.TypeFor[export.SeveralResult](), "Several scenarios, or one with something left out.")},
		},
	}
}
