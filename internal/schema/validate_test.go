package schema_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"lockstep/internal/must"
	"lockstep/internal/schema"
)

// validator validates scenario files by the schema, as an editor does.
type validator struct {
	schema *jsonschema.Schema
	doc    any // the schema as plain values
}

func newValidator(t testing.TB) *validator {
	t.Helper()
	data := must.Get(schema.JSON(schema.Scenario()))(t)
	doc := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("scenario.json", doc))
	compiled, err := c.Compile("scenario.json") // checks it against the dialect's own schema, too
	if err != nil {
		t.Fatal(err)
	}
	return &validator{compiled, doc}
}

// problems returns the places and messages of a file's problems, sorted.
func (v *validator) problems(t testing.TB, file []byte) []string {
	t.Helper()
	data := must.Get(yaml.YAMLToJSON(file))(t)
	value := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	err := v.schema.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	found := v.leaves(invalid, "/")
	slices.Sort(found)
	return slices.Compact(found)
}

// leaves returns the messages below an error; parent is the place of the error above it.
func (v *validator) leaves(e *jsonschema.ValidationError, parent string) []string {
	here := "/" + strings.Join(e.InstanceLocation, "/")
	at := here + "  "
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		e.Causes = closest(e.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return []string{at + "only one of these can be there"}
		}
		if keys := missingOnly(e.Causes); len(keys) > 0 {
			return []string{at + "one of these is missing: " + some(keys)}
		}
	case *kind.Pattern:
		return []string{at + v.said(e)}
	case *kind.Enum:
		var want []string
		for _, w := range k.Want {
			want = append(want, fmt.Sprint(w))
		}
		return []string{at + "choose one of: " + some(want)}
	case *kind.PropertyNames:
		return []string{parent + fmt.Sprintf("  %q cannot stand here", k.Property)} // the library gets the place wrong
	}
	if len(e.Causes) == 0 {
		return []string{at + e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}
	}
	var out []string
	for _, cause := range e.Causes {
		out = append(out, v.leaves(cause, here)...)
	}
	return out
}

// closest leaves out alternatives for values of another kind, as editors do,
// unless there is no other.
func closest(causes []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	near := slices.DeleteFunc(slices.Clone(causes), func(c *jsonschema.ValidationError) bool {
		switch c.ErrorKind.(type) {
		case *kind.Type, *kind.Const:
			return true
		}
		return len(c.Causes) == 1 && len(closest(c.Causes)) == 0
	})
	if len(near) == 0 && len(causes) > 1 {
		return causes
	}
	return near
}

// missingOnly returns the missing keys; none if any error is about something else.
func missingOnly(causes []*jsonschema.ValidationError) (keys []string) {
	for _, c := range causes {
		missing, ok := c.ErrorKind.(*kind.Required)
		if !ok {
			return nil
		}
		keys = append(keys, missing.Missing...)
	}
	return keys
}

// some lists a few words; a longer list would change with every new lock.
func some(words []string) string {
	if len(words) > 5 {
		return "the known ones"
	}
	return strings.Join(words, ", ")
}

// said returns the schema's message for a pattern that did not match.
func (v *validator) said(e *jsonschema.ValidationError) string {
	_, pointer, _ := strings.Cut(e.SchemaURL, "#/")
	at := v.doc
	for _, step := range strings.Split(pointer, "/") {
		step = strings.NewReplacer("%20", " ", "~1", "/", "~0", "~").Replace(step)
		switch below := at.(type) {
		case map[string]any:
			at = below[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil {
				return "no such place in the schema: " + pointer
			}
			at = below[i]
		}
	}
	if group, ok := at.(map[string]any); ok && group["patternErrorMessage"] != nil {
		return fmt.Sprint(group["patternErrorMessage"])
	}
	return "no message for the pattern at " + pointer
}
