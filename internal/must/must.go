// Package must ends a test where a step that it needs fails.
package must

// T is a test, a benchmark or a fuzz test.
type T interface {
	Helper()
	Fatal(args ...any)
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
