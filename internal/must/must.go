// Package must says what a test needs: a step that fails ends the test, and a value other than the
// one that is wanted fails it.
package must

import (
	"fmt"
	"reflect"
	"strings"
)

// T is a test, a benchmark or a fuzz test.
type T interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// Do ends the test with the error of a step.
func Do(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get is the value of a step that may fail: must.Get(os.ReadFile(name))(t).
func Get[V any](v V, err error) func(t T) V {
	return func(t T) V {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Equal fails the test if two values differ, and lets it go on.
func Equal[V comparable](t T, got, want V) {
	t.Helper()
	if got != want {
		t.Errorf("got %s, want %s", shown(got), shown(want))
	}
}

// Equalf is Equal with what the values are of.
func Equalf[V comparable](t T, got, want V, format string, args ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %s, want %s", fmt.Sprintf(format, args...), shown(got), shown(want))
	}
}

// shown quotes a text, unless it has several lines.
func shown(v any) string {
	text := fmt.Sprintf("%+v", v)
	switch {
	case strings.Contains(text, "\n"):
		return "\n" + text
	case v != nil && reflect.TypeOf(v).Kind() == reflect.String:
		return fmt.Sprintf("%q", text)
	}
	return text
}
