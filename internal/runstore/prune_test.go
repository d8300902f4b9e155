package runstore

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"lockstep/internal/must"
)

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
