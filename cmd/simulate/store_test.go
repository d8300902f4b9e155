package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// The reader of a pipe may close it at any time: the command runs to its end silently and with the
// same exit code.
func TestAReaderThatLeavesChangesNothing(t *testing.T) {
	for _, tt := range []struct {
		args string
		code int
		runs int
	}{
		{"run quick.yaml missed.yaml quick.yaml", exitMissed, 3},
		{"run quick.yaml --json", exitMet, 1},
		{"run quick.yaml --times 10", exitMet, 1},
		{"list locks", exitMet, 0},
		{"explain quick.yaml", exitMet, 0},
		{"run --dry-run quick.yaml nowhere.yaml", exitUsage, 0},
		{"completion bash", exitMet, 0},
		{"--help", exitMet, 0},
	} {
		dir := twoStories(t)
		cmd := simulate(t, dir, strings.Fields(tt.args)...)
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = reader.Close()
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = writer, &said
		err = cmd.Run()
		_ = writer.Close()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != tt.code {
			t.Errorf("%s: %v, want exit code %d", tt.args, cmd.ProcessState, tt.code)
		}
		if tt.code != exitUsage && said.Len() > 0 || strings.Contains(said.String(), "goroutine") {
			t.Errorf("%s printed %s", tt.args, &said)
		}
		if runs, err := runstore.List(os.DirFS(filepath.Join(dir, "reports"))); tt.runs > 0 && (err != nil || len(runs) != tt.runs) {
			t.Errorf("%s: %d runs are stored, want %d, %v", tt.args, len(runs), tt.runs, err)
		}
	}
}

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
