package reporttest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// Update makes tests rewrite golden files. A program has one flag of that name.
var Update = flag.Bool("update", false, "write the golden files again")

// Golden compares with a file below testdata.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *Update {
		must.Do(t, os.WriteFile(path, got, 0o644))
	}
	want := must.Get(os.ReadFile(path))(t)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the change and run its test with -update", path)
	}
}

// WantLines compares lists, a line for each element.
func WantLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

// Has demands texts in a page; Lacks forbids them.
func Has[T string | []byte](t *testing.T, page T, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is not in:\n%.4000s", want, page)
		}
	}
}

func Lacks[T string | []byte](t *testing.T, page T, nevers ...string) {
	t.Helper()
	for _, never := range nevers {
		if strings.Contains(string(page), never) {
			t.Errorf("%q is in:\n%.4000s", never, page)
		}
	}
}
