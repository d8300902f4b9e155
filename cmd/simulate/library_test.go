package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/must"
)

// File extensions may have any case, and links to files and folders are followed, each folder once.
func TestLinksAndCapitalsAreScenariosToo(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "B.YAML"), filepath.Join(dir, "c.Yml"), filepath.Join(dir, "d.txt"), filepath.Join(elsewhere, "e.yaml")} {
		writeIn(t, path, "scenario: x\n")
	}
	for name, to := range map[string]string{
		"team": elsewhere, "again": elsewhere, "circle": ".", "f.yaml": filepath.Join(elsewhere, "e.yaml"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("this system has no links: ", err)
		}
	}
	found := must.Get(filesBelow(t.Context(), dir, filepath.Join(dir, "reports")))(t)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], dir+string(filepath.Separator))
	}
	want := []string{"B.YAML", "a.yaml", filepath.Join("again", "e.yaml"), "c.Yml", "f.yaml"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}
