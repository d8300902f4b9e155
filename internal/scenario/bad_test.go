package scenario

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/report/reporttest"
)

// TestBadFiles compares the messages about each bad file with its golden.
func TestBadFiles(t *testing.T) {
	found, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(found) < 30 {
		t.Fatal(len(found), "bad files", err)
	}
	for _, file := range found {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			data := must.Get(os.ReadFile(file))(t)
			p, err := Parse(filepath.Base(file), data)
			var invalid *Invalid
			if !errors.As(err, &invalid) || p != nil {
				t.Fatalf("accepted: %+v, %v", p, err)
			}
			for _, problem := range invalid.Problems {
				if problem.Line < 1 || problem.Col < 1 || problem.Width < 1 {
					t.Errorf("no place: %+v", problem)
				}
			}
			reporttest.Golden(t, "bad/"+name+".golden", []byte(err.Error()+"\n"))
		})
	}
}

func TestHugeFileIsRefusedUnread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.yaml")
	must.Do(t, os.WriteFile(path, nil, 0o644))
	must.Do(t, os.Truncate(path, 100<<20))
	start := time.Now()
	allocated := testing.AllocsPerRun(1, func() { Load(path) })
	_, err := Load(path)
	var invalid *Invalid
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "larger than 1024 KiB") {
		t.Errorf("got %v", err)
	}
	if allocated > 100 || time.Since(start) > time.Second {
		t.Errorf("%v allocations, %v: the file was read", allocated, time.Since(start))
	}
}

func TestUnreadableFiles(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "there is no such file",
		dir:                             "is a directory",
		"/dev/zero":                     "larger than 1024 KiB",
	} {
		_, err := Load(path)
		var invalid *Invalid
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost: %v", err)
	}
}

// TestLargeFiles reads files of almost the maximal size. The generous time limit is for quadratic
// behaviour, not for slow machines.
func TestLargeFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, unit := range map[string]string{
		"lines": "- x: 1\n", "keys": "a: 1\n", "comments": "# x\n", "dashes": "- ", "brackets": "[",
		"flow": "a, \n", "anchors": "&a ", "quotes": "\"\n", "questions": "? \n", "colons": ": \n", "tabs": "\t\n", "bytes": "\xff\n",
	} {
		for _, head := range []string{"", "a: ["} {
			data := head + strings.Repeat(unit, (MaxBytes-len(head))/len(unit))
			start := time.Now()
			_, err := Parse("large.yaml", []byte(data))
			if err == nil {
				t.Errorf("%s after %q is accepted", name, head)
				continue
			}
			if text := err.Error(); len(text) > 100_000 {
				t.Errorf("%s after %q: a message of %d bytes", name, head, len(text))
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%s after %q took %v", name, head, took)
			}
		}
	}
}

// TestProblemsOfSeveralFiles: merged problems keep their excerpts.
func TestProblemsOfSeveralFiles(t *testing.T) {
	all := &Invalid{}
	for _, file := range []string{"one.yaml", "two.yaml"} {
		_, err := Parse(file, []byte("scenario: "+file+"\nlocks: all\nlease: 10\n"))
		var invalid *Invalid
		if !errors.As(err, &invalid) {
			t.Fatal(err)
		}
		all.Merge(invalid)
	}
	want := `one.yaml:3:8  "10" has no unit: write 10s or 10ms
  2 | locks: all
  3 | lease: 10
    |        ^^
two.yaml:3:8  "10" has no unit: write 10s or 10ms
  2 | locks: all
  3 | lease: 10
    |        ^^
2 problems, nothing was run.`
	if got := all.Error(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
