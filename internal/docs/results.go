package docs

import (
	"fmt"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/schema"
)

// ResultForms are the forms of results.
func (w *writer) ResultForms() schema.Properties { return schema.Result().Defs }

// fields lists the fields of an object, each followed by its own fields.
func fields(s *schema.Schema) [][]string { return fieldRows("", s) }

func fieldRows(above string, s *schema.Schema) [][]string {
	var rows [][]string
	for _, p := range s.Properties {
		rows = append(rows, []string{code(above + p.Name), text(typeWords(p.Value)), text(p.Value.Description + words(p.Value))})
		if p.Value.Items != nil {
			rows = append(rows, fieldRows(above+p.Name+"[].", p.Value.Items)...)
		}
		if of, ok := p.Value.Additional.(*schema.Schema); ok {
			rows = append(rows, fieldRows(above+p.Name+".*.", of)...)
		}
		rows = append(rows, fieldRows(above+p.Name+".", p.Value)...)
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
		return strings.Join(each.Map(t, func(one any) string { return fmt.Sprint(one) }), " or ")
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
