// Package must says what a test needs: a step that fails ends the test, and a value other than the
// one that is wanted fails it.
package must

import (
	"fmt"
	"reflect"
	"slices"
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

// Slices is Equal for slices.
func Slices[E comparable](t T, got, want []E) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", shown(got), shown(want))
	}
}

// Slicesf is Slices with what the values are of.
func Slicesf[E comparable](t T, got, want []E, format string, args ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %s, want %s", fmt.Sprintf(format, args...), shown(got), shown(want))
	}
}

// Contain fails the test unless a text has all of some parts.
func Contain(t T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("it does not contain %q: %s", part, shown(text))
		}
	}
}

// Fail fails the test unless there is an error, and it says all of some texts.
func Fail(t T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", texts)
		return
	}
	Contain(t, err.Error(), texts...)
}

// shown quotes a text, unless it has several lines, and shows several texts one below the other.
func shown(v any) string {
	if texts, ok := v.([]string); ok {
		return fmt.Sprintf("%d texts:\n\t%s\n", len(texts), strings.Join(texts, "\n\t"))
	}
	text := fmt.Sprintf("%+v", v)
	switch {
	case strings.Contains(text, "\n"):
		return "\n" + text
	case v == nil:
	case reflect.TypeOf(v).Kind() == reflect.String:
		return fmt.Sprintf("%q", text)
	}
	return text
}
