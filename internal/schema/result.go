package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

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

// typed is the schema of a Go type as encoding/json writes it. The tag doc of a struct's field
// describes it, and the tag enum limits its words. Objects are open, since fields may be added.
// special has the schemas of types that say more than their Go type.
func typed(t reflect.Type, special map[reflect.Type]*Schema) *Schema {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		return fields(t, special)
	case reflect.Slice:
		return &Schema{Type: "array", Items: typed(t.Elem(), special)}
	case reflect.Map:
		s := &Schema{Type: "object", Additional: typed(t.Elem(), special)}
		if names, ok := special[t.Key()]; ok {
			s.PropertyNames = names
		}
		return s
	case reflect.Pointer:
		s := *typed(t.Elem(), special)
		s.Type = []any{s.Type, "null"}
		return &s
	case reflect.Uint64:
		return &Schema{Type: "integer", Minimum: ptr(0)}
	}
	if word, ok := plain[t.Kind()]; ok {
		return &Schema{Type: word}
	}
	panic(fmt.Sprintf("schema: no schema for %v", t)) // of our own types; a test makes all of them
}

var plain = map[reflect.Kind]string{
	reflect.Bool: "boolean", reflect.String: "string", reflect.Float64: "number",
	reflect.Int: "integer", reflect.Int64: "integer",
}

func fields(t reflect.Type, special map[reflect.Type]*Schema) *Schema {
	s := &Schema{Type: "object"}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		of := *typed(f.Type, special)
		of.Description = f.Tag.Get("doc")
		if words := f.Tag.Get("enum"); words != "" {
			of.Enum = strings.Fields(words)
		}
		s.Properties = append(s.Properties, Property{name, &of})
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}
