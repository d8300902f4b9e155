// Package schema writes the JSON Schema of scenario files, for completion in editors, and that of
// results, for other programs. Choices come from the registries of locks, faults, moments and
// properties, and the fields of results from the types that are written.
//
// The schema repeats what package scenario decides, as editors cannot ask it; a test gives the same
// files to both, value by value, and they have to agree. It is committed, and a test fails while it
// is stale.
//
// A schema sees one value at a time. Only `simulate run --dry-run` finds a client that is not in
// the file, a range that runs backwards, or a lock that does not support a lease.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Schema is one schema of JSON Schema 2020-12, with the keywords that this package uses. The last
// group are extensions of the editors' YAML language server, which validators ignore.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	Ref         string `json:"$ref,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Default     any    `json:"default,omitempty"`
	Examples    []any  `json:"examples,omitempty"`

	Type      any      `json:"type,omitempty"` // a word or a list of words
	Const     any      `json:"const,omitempty"`
	Enum      []string `json:"enum,omitempty"`
	Pattern   string   `json:"pattern,omitempty"`
	MinLength int      `json:"minLength,omitempty"`
	MaxLength int      `json:"maxLength,omitempty"`
	Minimum   *int     `json:"minimum,omitempty"`
	Maximum   *int     `json:"maximum,omitempty"`

	Properties        Properties          `json:"properties,omitempty"`
	PropertyNames     *Schema             `json:"propertyNames,omitempty"`
	Additional        any                 `json:"additionalProperties,omitempty"` // false or a *Schema
	Required          []string            `json:"required,omitempty"`
	MinProperties     int                 `json:"minProperties,omitempty"`
	MaxProperties     int                 `json:"maxProperties,omitempty"`
	DependentRequired map[string][]string `json:"dependentRequired,omitempty"`

	Items       *Schema `json:"items,omitempty"`
	MinItems    int     `json:"minItems,omitempty"`
	MaxItems    int     `json:"maxItems,omitempty"`
	UniqueItems bool    `json:"uniqueItems,omitempty"`

	AllOf []*Schema `json:"allOf,omitempty"`
	AnyOf []*Schema `json:"anyOf,omitempty"`
	OneOf []*Schema `json:"oneOf,omitempty"`
	Not   *Schema   `json:"not,omitempty"`
	If    *Schema   `json:"if,omitempty"`
	Then  *Schema   `json:"then,omitempty"`

	Defs Properties `json:"$defs,omitempty"`

	EnumDescriptions    []string  `json:"enumDescriptions,omitempty"`
	PatternErrorMessage string    `json:"patternErrorMessage,omitempty"`
	DefaultSnippets     []Snippet `json:"defaultSnippets,omitempty"`
}

// Snippet is a text that an editor offers to insert.
type Snippet struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Body        object `json:"body"`
}

// Properties are schemas by name, in reading order.
type Properties = ordered[*Schema]

// Property is a schema with its name.
type Property = member[*Schema]

// object is a JSON object of plain values.
type object = ordered[any]

// ordered is a JSON object whose members keep their order.
type ordered[V any] []member[V]

type member[V any] struct {
	Name  string
	Value V
}

// MarshalJSON writes the members in their order.
func (o ordered[V]) MarshalJSON() ([]byte, error) {
	members := make([][]byte, len(o))
	for i, m := range o {
		key, err := encode(m.Name)
		value, err2 := encode(m.Value)
		if err = errors.Join(err, err2); err != nil {
			return nil, err
		}
		members[i] = slices.Concat(key, []byte(":"), value)
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// encode is json.Marshal without HTML escapes.
func encode(v any) ([]byte, error) {
	data, err := indented(v, "")
	return bytes.TrimSpace(data), err
}

func indented(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Document is a schema with its file.
type Document struct {
	Name    string // scenario
	Summary string
	Schema  func() *Schema
}

// Documents returns all schemas. Each is kept in schema/<name>.schema.json.
func Documents() []Document {
	return []Document{
		{"scenario", "scenario files", Scenario},
		{"result", "result.json and run --json", Result},
	}
}

// JSON returns a schema as a file, the same bytes for the same registries.
func JSON(s *Schema) ([]byte, error) { return indented(s, "  ") }
