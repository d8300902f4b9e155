// Package schema writes the JSON Schema of scenario files, so that an editor
// completes and explains them, and that of results, so that other programs can rely
// on them. What can be chosen comes from the registries of locks, faults, moments and
// properties, and the fields of results from the types that are written: a new one of
// these needs no change here.
//
// The schema repeats what package scenario decides, for editors cannot ask it; a test puts
// the same files to both, value by value, and they have to agree. It is committed, as the
// pages of the reference are, and a test fails while it is stale.
//
// A schema sees one value at a time. That a fault names a client which is not in
// the file, that a range runs backwards, or that a lock cannot ask for such a
// lease is left to `simulate run --dry-run`, which reports every mistake.
package schema

import (
	"bytes"
	"encoding/json"
)

// Schema is one schema of JSON Schema 2020-12, with the keywords that this
// package uses. The last group are words of the editors' YAML language server;
// validators pass over them.
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

// Properties are schemas by name, in the order in which people read them.
type Properties []Property

// Property is one of them.
type Property struct {
	Name   string
	Schema *Schema
}

// MarshalJSON writes an object whose keys keep their order.
func (p Properties) MarshalJSON() ([]byte, error) {
	o := make(object, len(p))
	for i := range p {
		o[i] = member{p[i].Name, p[i].Schema}
	}
	return o.MarshalJSON()
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(m.key)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal that leaves < and > as they are: this is no page.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// dialect is the version of JSON Schema.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// Document is a schema as a file.
type Document struct {
	Name    string // scenario
	Summary string
	Schema  func() *Schema
}

// Documents are all there are. Each is kept in schema/<name>.schema.json.
func Documents() []Document {
	return []Document{
		{"scenario", "scenario files", Scenario},
		{"result", "result.json and run --json", Result},
	}
}

// JSON returns a schema as a file, the same bytes for the same registries.
func JSON(s *Schema) ([]byte, error) {
	data, err := encode(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
