package runstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/must"
)

func save(t *testing.T, root string, minute int, files ...File) (string, error) {
	t.Helper()
	dir := Dir(root, "story", 7, time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC))
	return Save(root, dir, func(string) ([]File, error) { return files, nil })
}

// Many runs that end at the same time are all stored, each under its own name, which its files
// know.
func TestRunsOfTheSameMomentAreAllSaved(t *testing.T) {
	const runs = 40
	root := t.TempDir()
	dir := Dir(root, "story", 7, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	var all sync.WaitGroup
	taken := make([]string, runs)
	for i := range runs {
		all.Go(func() {
			var err error
			taken[i], err = Save(root, dir, func(dir string) ([]File, error) {
				return []File{{Name: "result.json", Data: []byte(fmt.Sprint(i, " ", filepath.Base(dir)))}}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, name := range taken {
		data, err := os.ReadFile(filepath.Join(name, "result.json"))
		if want := fmt.Sprint(i, " ", filepath.Base(name)); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v; want %q", name, data, err, want)
		}
	}
	stored, err := List(os.DirFS(root))
	if err != nil || len(stored) != runs {
		t.Errorf("%d runs of %d are stored, %v", len(stored), runs, err)
	}
	if stored[0].At.IsZero() {
		t.Errorf("the time of %s is not read", stored[0].Name)
	}
	if _, err := os.Stat(filepath.Join(root, "latest", "result.json")); err != nil {
		t.Errorf("latest points to no run: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A run whose name was taken meanwhile is rendered again, under the next name.
func TestARenameReplacesNoRun(t *testing.T) {
	root := t.TempDir()
	var dirs []string
	dir, err := Save(root, filepath.Join(root, "story", "run"), func(dir string) ([]File, error) {
		if dirs = append(dirs, filepath.Base(dir)); len(dirs) == 1 {
			must.Do(t, os.MkdirAll(filepath.Join(dir, "theirs"), 0o755))
		}
		return []File{{Name: "result.json", Data: []byte("{}")}}, nil
	})
	if err != nil || filepath.Base(dir) != "run-2" || strings.Join(dirs, " ") != "run run-2" {
		t.Errorf("saved %s of %v, %v", dir, dirs, err)
	}
	if _, err := os.Stat(filepath.Join(root, "story", "run", "theirs")); err != nil {
		t.Errorf("the other run is gone: %v", err)
	}
}

// The draft of a killed process does not disturb others.
func TestTheDraftOfAKilledProcessIsIgnored(t *testing.T) {
	root := t.TempDir()
	draft := filepath.Join(root, "story", ".draft-20260102T030000.000Z-seed-7", "result.json")
	must.Do(t, os.MkdirAll(draft, 0o755))
	dir, err := save(t, root, 0, File{Name: "result.json", Data: []byte("{}")})
	if err != nil || !strings.HasSuffix(dir, "-seed-7-2") {
		t.Errorf("saved %s, %v", dir, err)
	}
	if runs, err := List(os.DirFS(root)); err != nil || len(runs) != 1 {
		t.Errorf("listed %v, %v", runs, err)
	}
}

// The link "latest" is replaced if its run was removed. A link to elsewhere is the user's own.
func TestALinkThatIsNotOursIsNotTouched(t *testing.T) {
	for target, ours := range map[string]bool{"story/removed": true, "/etc": false, "../elsewhere/run": false, "story": false} {
		root := t.TempDir()
		latest := filepath.Join(root, "latest")
		must.Do(t, os.Symlink(target, latest))
		dir, err := save(t, root, 0, File{Name: "result.json", Data: []byte("{}")})
		must.Equalf(t, err == nil, ours, "%s: %v", target, err)
		now, _ := os.Readlink(latest)
		must.Equalf(t, now == "story/"+filepath.Base(dir), ours,
			"the link to %s leads to %s now", target, now)
	}
}

func TestSaveWritesAllAndPointsAtTheLatest(t *testing.T) {
	root := filepath.Join(t.TempDir(), "reports")
	for minute := range 2 {
		dir := must.Get(save(t, root, minute, File{Name: "result.json", Data: []byte("{}")}, File{Name: "plots/holders.svg", Data: []byte("<svg/>")}))(t)
		for _, at := range []string{dir, filepath.Join(root, "latest")} {
			if data, err := os.ReadFile(filepath.Join(at, "plots", "holders.svg")); err != nil || string(data) != "<svg/>" {
				t.Errorf("%s: %q, %v", at, data, err)
			}
		}
	}
}

func TestAFailureLeavesNothingBehind(t *testing.T) {
	root := t.TempDir()
	_, err := save(t, root, 0, File{Name: "a"}, File{Name: "a/b"}) // a cannot be a file and a directory
	must.Fail(t, err, "--out")
	left, err := filepath.Glob(filepath.Join(root, "*", "*"))
	hidden, _ := filepath.Glob(filepath.Join(root, "*", ".*"))
	if err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v", left, hidden)
	}
}

// An error other than a taken name is told as it is.
func TestTheRunStoreIsAFile(t *testing.T) {
	root := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(root, nil, 0o600))
	if _, err := save(t, root, 0); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v, want that %s is not a directory", err, root)
	}
}

// A file can be written in pieces; an error half-way discards the run.
func TestAFileThatIsWrittenInPieces(t *testing.T) {
	root := t.TempDir()
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "in pieces")
		return err
	}
	whole := must.Get(save(t, root, 0, File{Name: "history.jsonl", Write: write}))(t)
	if data, err := os.ReadFile(filepath.Join(whole, "history.jsonl")); err != nil || string(data) != "in pieces" {
		t.Errorf("%q, %v", data, err)
	}
	full := errors.New("full")
	dir, err := save(t, root, 1, File{Name: "history.jsonl", Write: func(w io.Writer) error { return errors.Join(write(w), full) }})
	if !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("half a run is stored")
	}
}

func TestLatestThatIsNoLinkIsNotTouched(t *testing.T) {
	root := t.TempDir()
	precious := filepath.Join(root, "latest")
	must.Do(t, os.WriteFile(precious, []byte("mine"), 0o600))
	dir, err := save(t, root, 0, File{Name: "result.json", Data: []byte("{}")})
	if err == nil {
		t.Error("no complaint about a file named latest")
	}
	if data, _ := os.ReadFile(precious); string(data) != "mine" {
		t.Error("a user's file was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err != nil {
		t.Errorf("the run itself must be there: %v", err)
	}
}

func TestWriteWholeReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "page.html")
	for _, text := range []string{"one", "two"} {
		must.Do(t, WriteWhole(path, &File{Data: []byte(text)}))
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
	}
	blocked := filepath.Join(dir, "b")
	must.Do(t, os.MkdirAll(filepath.Join(blocked, "page.html", "x"), 0o755))
	if err := WriteWhole(filepath.Join(blocked, "page.html"), &File{}); err == nil {
		t.Error("a directory was overwritten")
	}
	entries, err := os.ReadDir(blocked)
	if err != nil || len(entries) != 1 || strings.HasPrefix(entries[0].Name(), ".") {
		t.Errorf("left behind: %v %v", entries, err)
	}
}
