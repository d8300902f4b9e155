package runstore

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/say"
)

// The index has runs that another process stores while it is written.
func TestTheIndexHasARunThatCameMeanwhile(t *testing.T) {
	root := t.TempDir()
	store := must.Get(os.OpenRoot(root))(t)
	defer store.Close()
	asked := 0
	must.Do(t, drawIndex(root, store, say.English, func() ([]Stored, error) {
		runs, err := List(store.FS())
		if asked++; err != nil || asked > 3 {
			return runs, err
		}
		_, err = Save(root, filepath.Join(root, "story", fmt.Sprint("run", asked)), func(string) ([]File, error) {
			return []File{{Name: "result.json", Data: []byte("{}")}}, nil
		})
		return runs, err
	}))
	index := must.Get(os.ReadFile(filepath.Join(root, "index.html")))(t)
	for n := 1; n <= 3; n++ {
		if !bytes.Contains(index, []byte(fmt.Sprintf("story/run%d/report.html", n))) {
			t.Errorf("the index lacks run %d", n)
		}
	}
}

// An index.html that cannot be read counts as the user's own: a link out of the store is neither
// followed nor replaced.
func TestALinkInPlaceOfTheIndexIsLeftAlone(t *testing.T) {
	root, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "theirs.html")
	must.Do(t, os.WriteFile(elsewhere, []byte("theirs"), 0o644))
	link := filepath.Join(root, "index.html")
	must.Do(t, os.Symlink(elsewhere, link))
	must.Do(t, WriteIndex(root, say.English))
	if to, err := os.Readlink(link); err != nil || to != elsewhere {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
	if data, err := os.ReadFile(elsewhere); err != nil || string(data) != "theirs" {
		t.Errorf("the target of the link is now %q, %v", data, err)
	}
	must.Do(t, os.Remove(link))
	must.Do(t, WriteIndex(root, say.English))
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("without the link an index is written: %v", err)
	}
}
