package runstore

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"lockstep/internal/must"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
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
	must.Equalf(t, must.Get(os.Readlink(link))(t), elsewhere, "the link leads to")
	if data, err := os.ReadFile(elsewhere); err != nil || string(data) != "theirs" {
		t.Errorf("the target of the link is now %q, %v", data, err)
	}
	must.Do(t, os.Remove(link))
	must.Do(t, WriteIndex(root, say.English))
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("without the link an index is written: %v", err)
	}
}

const shortStory = "scenario: Alone\nlocks: [set-nx-lua]\nclients: [A, B]\nexpect:\n  set-nx-lua: {mutual-exclusion: kept}\n"

// FuzzStoredScenario reads a scenario.yaml and its environment. An accepted scenario survives being
// resolved, and errors name the file in the run directory.
func FuzzStoredScenario(f *testing.F) {
	f.Add([]byte(shortStory), []byte(`{"schema": 1, "scenario_file": "alone.yaml", "expect_lines": {"set-nx-lua/mutual-exclusion": -5}}`))
	f.Add([]byte("scenario: [x"), []byte(`{"schema": 1, "scenario_file": "../../etc/passwd", "scenario_sha256": "00"}`))
	f.Add([]byte(shortStory), []byte(fmt.Sprintf(`{"schema": 1, "scenario_sha256": %q}`, SHA256([]byte(shortStory)))))
	f.Fuzz(func(t *testing.T, story, env []byte) {
		s := &Run{Dir: t.TempDir()}
		for name, data := range map[string][]byte{StoryName: story, EnvName: env} {
			must.Do(t, os.WriteFile(s.file(name), data, 0o600))
		}
		err := s.readEnv()
		if err == nil {
			err = s.readPlan()
		}
		if err != nil {
			if text := sanitize.Lines(err.Error()); !bytes.Contains([]byte(text), []byte(sanitize.Line(s.Dir))) {
				t.Errorf("the error does not name the file: %s", text)
			}
			return
		}
		if was := s.Env.ScenarioSHA256; was != "" && was != SHA256(story) {
			t.Error("a scenario with another hash is accepted")
		}
		for _, e := range s.Plan.Expect {
			if e.Line < 0 {
				t.Errorf("an expectation in line %d", e.Line)
			}
		}
		if _, err := scenario.Parse("x.yaml", []byte(scenario.Resolved(s.Plan))); err != nil {
			t.Errorf("the resolved scenario is refused: %v", err)
		}
	})
}

const aRun = "20260102T030405.000Z-seed-1"

// storeOf is a store with one run that has the usual files and some more.
func storeOf(name string, more ...string) (fstest.MapFS, *Stored) {
	store := fstest.MapFS{}
	for _, file := range append([]string{"report.html", "result.json", "history.jsonl", "scenario.yaml", "env.json"}, more...) {
		store["a/"+name+"/"+file] = &fstest.MapFile{Data: []byte("12345")}
	}
	return store, &Stored{Scenario: "a", Name: name, At: stampOf(name)}
}

func TestOwn(t *testing.T) {
	for _, tt := range []struct {
		run  string
		more []string
		want bool
	}{
		{aRun, nil, true},
		{aRun + "-2", []string{"junit.xml", "summary.md", "trace.json", "history-1-x.edn", "history.edn", "plots/x.svg", "stores/1-x/redis-1.log", "old.log"}, true},
		{"by-hand", nil, false},
		{aRun + "-copy", nil, false},
		{aRun, []string{"notes.txt"}, false},
		{aRun, []string{"mine/notes.txt"}, false},
		{aRun, []string{"history.jsonl.orig"}, false},
	} {
		store, s := storeOf(tt.run, tt.more...)
		must.Equalf(t, s.own(store), tt.want, "%s with %v", tt.run, tt.more)
	}
	store, s := storeOf(aRun)
	delete(store, s.Path()+"/env.json")
	if s.own(store) {
		t.Error("a directory without env.json is one of ours")
	}
	store, s = storeOf(aRun)
	store[s.Path()+"/report.html"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("../x")}
	if s.own(store) {
		t.Error("a directory with a link is one of ours")
	}
}

// Larger counts the files of runs, and stops as soon as the result is known.
func TestLarger(t *testing.T) {
	store, s := storeOf(aRun, "stores/redis-1.log")
	store["elsewhere/large"] = &fstest.MapFile{Data: make([]byte, 1000)}
	if size, _ := s.size(store); size != 30 {
		t.Errorf("the run has %d bytes", size)
	}
	if Larger(store, 30) || !Larger(store, 29) {
		t.Error("the limit of 30 bytes is not met")
	}
	for n := range maxMeasured {
		store[fmt.Sprintf("%s/stores/%d.log", s.Path(), n)] = &fstest.MapFile{}
	}
	store["a/by-hand/result.json"] = &fstest.MapFile{Data: []byte("1234567")}
	if Larger(store, 36) || !Larger(store, 29) {
		t.Error("it counts beyond maxMeasured files")
	}
}

func TestShown(t *testing.T) {
	store := fstest.MapFS{
		"comparison.html":                  {Data: []byte(`<a href="./a/` + aRun + `/report.html">x</a> simulate report reports/b/` + aRun + `-2</p>`)},
		"index.html":                       {Data: []byte(`<a href="c/` + aRun + `/report.html">`)},
		"again/a/d/x.html":                 {Data: []byte("d/" + aRun)},
		"again/a/" + aRun + "/report.html": {Data: []byte("d/" + aRun)},
	}
	shown := must.Get(shownBy(store))(t)
	must.Slices(t, slices.Sorted(maps.Keys(shown)), []string{"a/" + aRun, "b/" + aRun + "-2"})
}

// Removing the last run of a folder removes the folder.
func TestRemove(t *testing.T) {
	root := t.TempDir()
	var runs []string
	for minute := range 2 {
		dir := must.Get(save(t, root, minute, File{Name: "result.json", Data: []byte("{}")}, File{Name: "plots/x.svg", Data: []byte("<svg/>")}))(t)
		runs = append(runs, dir)
	}
	for i, dir := range runs {
		s := &Stored{Scenario: filepath.Base(filepath.Dir(dir)), Name: filepath.Base(dir)}
		if want := s.Path(); i == 1 && latest(root) != want {
			t.Errorf("the latest is %s, want %s", latest(root), want)
		}
		must.Do(t, remove(root, s))
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
		if hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*")); len(left) != 1-i || len(hidden) > 0 {
			t.Errorf("%v and %v are left", left, hidden)
		}
	}
	if folders, _ := filepath.Glob(filepath.Join(root, "*")); len(folders) != 1 { // the link to the latest run
		t.Errorf("%v", folders)
	}
}
