package seeded

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// The overlay fits the installed Go, and has every file that is edited or added.
func TestItFitsTheInstalledGo(t *testing.T) {
	goroot, version, err := Installed(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	file := must.Get(Write(goroot, version, t.TempDir()))(t)
	data := must.Get(os.ReadFile(file))(t)
	var overlay struct{ Replace map[string]string }
	must.Do(t, json.Unmarshal(data, &overlay))
	files := map[string]bool{additionName: true}
	for _, e := range edits {
		files[e.file] = true
	}
	for name := range files {
		to := overlay.Replace[filepath.Join(goroot, "src", name)]
		if _, err := parser.ParseFile(token.NewFileSet(), to, nil, 0); err != nil {
			t.Errorf("%s is replaced by %q: %v", name, to, err)
		}
	}
}

// A Go is refused when the place of any edit is missing, or there are two.
func TestAnotherGoIsRefused(t *testing.T) {
	goroot, version, err := Installed(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		for _, change := range []struct {
			to    string
			found int
		}{{"// gone\n", 0}, {e.old + e.old, 2}} {
			other := t.TempDir()
			copyFiles(t, goroot, other)
			path := filepath.Join(other, "src", e.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(text), e.old, change.to, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err = Write(other, version, t.TempDir())
			var unknown *UnknownGo
			if !errors.As(err, &unknown) || unknown.Found != change.found || unknown.Place != e.file {
				t.Errorf("%s with %d places for an edit: %v", e.file, change.found, err)
			}
		}
	}
}

// copyFiles copies the files that are edited.
func copyFiles(t *testing.T, goroot, to string) {
	t.Helper()
	for _, e := range edits {
		text := must.Get(os.ReadFile(filepath.Join(goroot, "src", e.file)))(t)
		name := filepath.Join(to, "src", e.file)
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, text, 0o644))
	}
}
