package docs

import (
	"fmt"
	"strings"

	"lockstep/internal/schema"
)

// results is the page about results for programs.
func (w *writer) results() Page {
	all := schema.Result()
	body := []string{
		heading(1, "Results for programs"),
		"What " + code("simulate run --json") + " prints has one of these forms, and " + code("result.json") +
			" in a run directory has the first. The schema is " +
			link(text("schema/result.schema.json"), w.Up+"/schema/result.schema.json") + " (" + code("simulate dev schema result") +
			"). Names and units stay as they are and fields are only added, so a program passes over those that it does not know. " +
			"Durations are in microseconds and end in " + code("_us") + ".",
	}
	for _, d := range all.Defs {
		body = append(body, section(d.Name, text(d.Schema.Description)+"\n\n"+table([]string{"field", "type", "what it is"}, fieldRows("", d.Schema))))
	}
	return page("results.md", "the types that are written", body...)
}

// fieldRows lists the fields of an object, each followed by its own fields.
func fieldRows(above string, s *schema.Schema) [][]string {
	var rows [][]string
	for _, p := range s.Properties {
		rows = append(rows, []string{code(above + p.Name), text(typeWords(p.Schema)), text(p.Schema.Description + words(p.Schema))})
		if p.Schema.Items != nil {
			rows = append(rows, fieldRows(above+p.Name+"[].", p.Schema.Items)...)
		}
		if of, ok := p.Schema.Additional.(*schema.Schema); ok {
			rows = append(rows, fieldRows(above+p.Name+".*.", of)...)
		}
		rows = append(rows, fieldRows(above+p.Name+".", p.Schema)...)
	}
	return rows
}

// typeWords is a type in words: "array of object", "integer or null".
func typeWords(s *schema.Schema) string {
	switch t := s.Type.(type) {
	case string:
		if of, ok := s.Additional.(*schema.Schema); ok {
			return "object of " + typeWords(of) + " by name"
		}
		if s.Items != nil {
			return t + " of " + typeWords(s.Items)
		}
		return t
	case []any:
		return strings.Join(each(t, func(one any) string { return fmt.Sprint(one) }), " or ")
	}
	return "object" // a choice between forms
}

// words lists the values of an enumeration; "" for any other field.
func words(s *schema.Schema) string {
	if len(s.Enum) == 0 {
		return ""
	}
	return " One of: " + strings.Join(s.Enum, ", ") + "."
}
