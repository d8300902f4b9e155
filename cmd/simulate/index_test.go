package main

import (
	"os"
	"path/filepath"
	"testing"
)

// An index.html that cannot be read is somebody's own as well: here a link that leads
// out of the store, which is neither followed nor replaced.
func TestALinkInPlaceOfTheIndexIsLeftAlone(t *testing.T) {
	root, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "theirs.html")
	if err := os.WriteFile(elsewhere, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "index.html")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	if err := writeIndex(root); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != elsewhere {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
	if data, err := os.ReadFile(elsewhere); err != nil || string(data) != "theirs" {
		t.Errorf("what it led to is now %q, %v", data, err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := writeIndex(root); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("without the link an index is written: %v", err)
	}
}
