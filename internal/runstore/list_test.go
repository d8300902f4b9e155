package runstore

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"lockstep/internal/must"
)

func TestListIsNewestFirst(t *testing.T) {
	store := fstest.MapFS{
		"a/20260102T030405.000Z-seed-1/result.json":    {},
		"a/20260102T030405.000Z-seed-1/report.html":    {},
		"b/20260102T030406.000Z-seed-1/result.json":    {},
		"a/20260102T030405.500Z-seed-7/result.json":    {},
		"b/20260102T030405.000Z-seed-1/result.json":    {}, // the same time as a's: by name of the scenario
		"b/by-hand/result.json":                        {},
		"a/20260102T030407.000Z-seed-1/report.html":    {}, // no result: not a run
		"a/.draft-123/result.json":                     {}, // of a run that is being stored
		".git/20260102T030405.000Z-seed-1/result.json": {},
		"latest": {Mode: fs.ModeSymlink},
		"a/20260102T030408.000Z-seed-1/result.json/not": {}, // a directory
		"matrix.html": {},
	}
	runs := must.Get(List(store))(t)
	var got []string
	for i := range runs {
		got = append(got, runs[i].Path())
	}
	want := "b/20260102T030406.000Z-seed-1 a/20260102T030405.500Z-seed-7 a/20260102T030405.000Z-seed-1 b/20260102T030405.000Z-seed-1 b/by-hand"
	must.Equal(t, strings.Join(got, " "), want)
	if !runs[4].At.IsZero() || !runs[1].At.Equal(time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC)) {
		t.Errorf("times %v and %v", runs[4].At, runs[1].At)
	}
}

// Targets of links are not listed.
func TestLinksAreNotListed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"store/a/run/result.json", "elsewhere/run/result.json"} {
		must.Do(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o644))
	}
	for name, target := range map[string]string{
		"store/b": "../elsewhere", "store/latest": "a/run", "store/a/other": "../../elsewhere/run", "store/page.html": "../elsewhere/run/result.json",
	} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	root := must.Get(os.OpenRoot(filepath.Join(dir, "store")))(t)
	defer root.Close()
	runs, err := List(root.FS())
	if err != nil || len(runs) != 1 || runs[0].Path() != "a/run" {
		t.Errorf("listed %v, %v", runs, err)
	}
	if pages, err := Pages(root.FS()); err != nil || len(pages) > 0 {
		t.Errorf("pages %v, %v", pages, err)
	}
}

func TestPages(t *testing.T) {
	store := fstest.MapFS{
		"index.html": {}, "matrix.html": {}, "comparison.html": {}, ".draft-1.html": {}, "notes.txt": {}, "dir.html/x": {},
		"again/a/run/report.html": {}, "again/a/run/result.json": {}, "sweep/a/sweep.html": {},
	}
	pages, err := Pages(store)
	if err != nil || strings.Join(pages, " ") != "comparison.html matrix.html sweep/a/sweep.html again/a/run/report.html" {
		t.Errorf("pages %q, %v", pages, err)
	}
}

func TestReadResult(t *testing.T) {
	run := Stored{Scenario: "a", Name: "run"}
	tests := []struct{ text, want string }{
		{`{"schema": 1, "hash": "0f", "seed": 7, "met": true, "locks": [{"lock": "x", "verdicts": {"progress": {"verdict": "kept"}}}]}`, ""},
		{`{"schema": 1, "seed": 7}`, "a/run/result.json names no lock"},
		{`{"schema": 1, "locks": [{"lock": "x"}]}`, "a/run/result.json has no hash"},
		{`{"schema": 1, "hash": 7, "locks": [{"lock": "x"}]}`, "cannot unmarshal number"},
		{`{"schema": 99, "hash": "0f", "locks": [{"lock": "x"}]}`, "a/run/result.json: schema 99 is not known here, only 1"},
		{"null", "a/run/result.json: schema 0 is not known here, only 1"},
		{`{"seed": `, "a/run/result.json: "},
		{strings.Repeat(" ", maxResultBytes+1), "larger than 4 MiB"},
	}
	for _, tt := range tests {
		s, err := ReadResult(fstest.MapFS{"a/run/result.json": {Data: []byte(tt.text)}}, run.Path())
		switch {
		case tt.want == "" && (err != nil || s.Seed != 7 || !s.Met || s.Locks[0].Verdicts["progress"].Verdict != "kept"):
			t.Errorf("read %+v, %v", s, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%.20q: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

// FuzzReadResult: a result is complete, and not much larger in memory than in its file, or it is
// refused with the name of the file.
func FuzzReadResult(f *testing.F) {
	for _, text := range []string{
		`{"schema": 1, "hash": "0f", "seed": 7, "locks": [{"lock": "x", "verdicts": {"progress": {"verdict": "kept", "count": 1}}}]}`,
		"null", "[]", "{", `{"schema": 1e999}`, `{"schema": 1, "locks": null, "hash": null}`, strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadResult(fstest.MapFS{"run/result.json": {Data: data}}, "run")
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "run/result.json"):
			t.Errorf("the error does not begin with the file: %v", err)
		case err == nil && (s.Schema != 1 || len(s.Locks) == 0 || s.Hash == "" || len(s.Locks) > len(data)/2):
			t.Errorf("read %+v", s)
		}
	})
}
