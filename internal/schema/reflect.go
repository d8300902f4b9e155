package schema

import (
	"fmt"
	"reflect"
	"strings"
)

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
