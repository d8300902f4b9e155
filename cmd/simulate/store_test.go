package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/runstore"
)

// quick is a short story, with one verdict left open.
const quick = `scenario: Too slow
locks: [set-nx-lua]
clients: [A, B]
faults:
  - when: A enters
    slow: A
    by: 15s
expect:
  set-nx-lua: {mutual-exclusion: %s}
`

// twoStories makes a directory with the files quick.yaml, which ends as expected, and
// missed.yaml, which does not.
func twoStories(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeIn(t, filepath.Join(dir, "quick.yaml"), fmt.Sprintf(quick, "broken"))
	writeIn(t, filepath.Join(dir, "missed.yaml"), fmt.Sprintf(quick, "kept"))
	return dir
}

// writeIn writes a file, and its folder if it is not there.
func writeIn(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// simulate is this program with arguments, to be run in a directory.
func simulate(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self := must.Get(os.Executable())(t)
	return &exec.Cmd{Path: self, Args: append([]string{"simulate"}, args...), Dir: dir, Env: append(os.Environ(), "NO_COLOR=1")}
}

// inProcess runs a command in this process and returns what it prints.
func inProcess(args ...string) (string, error) {
	var out strings.Builder
	root := commandsOn(&screen{w: &out})
	root.SetArgs(args)
	err := root.Execute()
	return out.String(), err
}

// Many processes store into one store at the same time: no run is lost, and the index has
// all of them.
func TestProcessesThatEndTogetherLoseNoRun(t *testing.T) {
	const processes = 40
	dir := twoStories(t)
	var all sync.WaitGroup
	for range processes {
		cmd := simulate(t, dir, "run", "quick.yaml", "--quiet")
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	store := filepath.Join(dir, "reports")
	runs, err := runstore.List(os.DirFS(store))
	if err != nil || len(runs) != processes {
		t.Fatalf("%d runs of %d are there, %v", len(runs), processes, err)
	}
	index := must.Get(os.ReadFile(filepath.Join(store, "index.html")))(t)
	for i := range runs {
		path := runs[i].Path()
		if !bytes.Contains(index, []byte(path+"/report.html")) {
			t.Errorf("the index lacks %s", path)
		}
		result, err := os.ReadFile(filepath.Join(store, path, "result.json"))
		if err != nil || !bytes.Contains(result, []byte(fmt.Sprintf("%q: %q", "run_dir", filepath.Join("reports", path)))) {
			t.Errorf("the result of %s lacks its directory, %v", path, err)
		}
	}
	if _, err := runstore.Read(t.Context(), filepath.Join(store, "latest")); err != nil {
		t.Error(err)
	}
}
