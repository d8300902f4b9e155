package osproc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/real/osproc"
)

func TestOnlyTheDirectoriesOfDeadHarnessesAreStale(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	mine := must.Get(osproc.NewScratch())(t)
	stay := []string{
		filepath.Base(mine.Path()),
		fmt.Sprintf("lockstep-%d-%s-77", os.Getpid(), osproc.StartTime(os.Getpid())), // alive, by its process
		"lockstep-plots", "lockstep-1-2-3-old", "other-1-2-3",
	}
	stale := []string{
		fmt.Sprintf("lockstep-%d-1-77", os.Getpid()), // an older process with our number
		"lockstep-999999999-5-6",                     // no such process
	}
	for _, name := range append(stay[1:], stale...) {
		must.Do(t, os.MkdirAll(filepath.Join(tmp, name, "redis"), 0o700))
	}
	// A directory without a visible process, but with a held lock, belongs to a harness in another
	// container.
	foreign := filepath.Join(tmp, "lockstep-999999998-5-6")
	must.Do(t, os.Rename(mine.Path(), foreign))
	stay[0] = filepath.Base(foreign)

	runtime.GC() // which would close the lock's file if it were unreferenced
	if n := osproc.RemoveStale(); n != len(stale) {
		t.Errorf("%d removed, want %d", n, len(stale))
	}
	runtime.KeepAlive(mine)
	for _, name := range stay {
		if _, err := os.Stat(filepath.Join(tmp, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range stale {
		if _, err := os.Stat(filepath.Join(tmp, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}
