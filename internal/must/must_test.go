package must

import (
	"errors"
	"fmt"
	"testing"
)

// ended notes how a test ends, and what it reports.
type ended struct {
	with any
	said string
}

func (e *ended) Helper()                           {}
func (e *ended) Fatal(args ...any)                 { e.with = args[0] }
func (e *ended) Errorf(format string, args ...any) { e.said += fmt.Sprintf(format, args...) + "; " }

func TestAnErrorEndsTheTest(t *testing.T) {
	for _, want := range []error{nil, errors.New("no")} {
		did, got := &ended{}, &ended{}
		Do(did, want)
		v := Get(7, want)(got)
		if want == nil && (did.with != nil || got.with != nil || v != 7) || want != nil && (did.with != want || got.with != want) {
			t.Errorf("%v: ended with %v and %v, got %d", want, did.with, got.with, v)
		}
	}
}

func TestADifferenceFailsTheTest(t *testing.T) {
	type name string
	e := &ended{}
	Equal(e, 7, 7)
	Equalf(e, "a", "a", "of %d", 1)
	Slices(e, []string{"a"}, []string{"a"})
	Slicesf(e, nil, []int{}, "of %d", 1)
	Contain(e, "abc", "a", "bc")
	Fail(e, errors.New("abc"), "a", "bc")
	if e.said != "" {
		t.Errorf("equal values: %s", e.said)
	}
	Equal(e, 7, 8)
	Equalf(e, name("a"), "b\nc", "of %d", 1)
	Equalf(e, nil, errors.New("no"), "an error")
	Slices(e, []string{"a"}, nil)
	Slicesf(e, []int{1}, []int{2}, "of %d", 1)
	Contain(e, "abc", "a", "d")
	Fail(e, nil, "a")
	Fail(e, errors.New("abc"), "a", "d")
	want := `got 7, want 8; of 1: got "a", want ` + "\nb\nc" + `; an error: got <nil>, want no; ` + "got 1 texts:\n\ta\n, want 0 texts:\n\t\n; " + `of 1: got [1], want [2]; ` +
		`it does not contain "d": "abc"; no error, want one that says ["a"]; it does not contain "d": "abc"; `
	if e.said != want {
		t.Errorf("got %q, want %q", e.said, want)
	}
}
