package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
)

// storedPause plays a story, and returns its result and an output to store it.
func storedPause(t *testing.T) (*run.Result, *output) {
	t.Helper()
	plans := must.Get(new(globals).loadAll(t.Context(), []string{"pause-past-lease"}, nil))(t)
	r := reporttest.Play(t, plans[0], 1)
	o := &output{f: &runFlags{globals: &globals{out: filepath.Join(t.TempDir(), "reports")}, backend: "sim", scale: "1"}}
	return r, o
}

// The logs of servers are in the run directory, a folder for each lock, without control characters,
// and the report mentions them.
func TestLogsAreStored(t *testing.T) {
	r, o := storedPause(t)
	without := must.Get(o.store(r))(t)
	r.Outcomes[0].Logs = map[string][]byte{
		"redis-1": []byte("ready\n\x1b[2J\xff<b>::error::\n  indented\n"), "../redis-2": []byte("also\n"),
	}
	with := must.Get(o.store(r))(t)
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return data
	}
	dir := filepath.Join(with.RunDir, "stores", "1-"+r.Outcomes[0].Lock)
	if got, want := string(read(filepath.Join(dir, "redis-1.log"))), "ready\n\\x1b[2J\\xff<b>::error::\n  indented\n"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
	if got := string(read(filepath.Join(dir, "..-redis-2.log"))); got != "also\n" {
		t.Errorf("the log of the other server is %q", got)
	}
	if _, err := os.Stat(filepath.Join(without.RunDir, "stores")); err == nil {
		t.Error("a run without logs has a folder for them")
	}
	mention := []byte("what the servers logged")
	if !bytes.Contains(read(filepath.Join(with.RunDir, "report.html")), mention) || bytes.Contains(read(filepath.Join(without.RunDir, "report.html")), mention) {
		t.Error("the report does not say whether there are logs")
	}
	again := &runstore.Run{Dir: with.RunDir}
	if !again.HasLogs() || (&runstore.Run{Dir: without.RunDir}).HasLogs() {
		t.Error("a stored run does not know whether it has logs")
	}
}

// A store that cannot be read is not one without runs.
func TestListOfAnUnreadableStore(t *testing.T) {
	root := filepath.Join(t.TempDir(), "reports")
	if got, err := listRuns(t.Context(), &globals{out: root}); err != nil || len(got.rows) != 0 {
		t.Errorf("a store that is not there yet: %d runs, %v", len(got.rows), err)
	}
	writeIn(t, root, "")
	if _, err := listRuns(t.Context(), &globals{out: root}); err == nil || !strings.Contains(err.Error(), "cannot be listed") {
		t.Errorf("a file in the place of the store: %v", err)
	}
}

// Another version of the properties is listed among the changes.
func TestChangesNameTheVersion(t *testing.T) {
	r, _ := storedPause(t)
	was := &export.RunResult{}
	if got := changes(was, r); len(got) != 0 {
		t.Errorf("a result without a version has %d changes", len(got))
	}
	was.Versions.Checker = 99
	if got := changes(was, r); len(got) != 1 || !strings.HasPrefix(got[0].English(), "version of the properties: was 99, is ") {
		t.Errorf("%d changes, or a wrong one", len(got))
	}
}

// The stored run is the first that missed an expectation, else the first that broke a property,
// else the first that tested nothing.
func TestTheSeedThatIsOpened(t *testing.T) {
	seed := func(n uint64) *uint64 { return &n }
	broke := func(n uint64) *bundle.Tally {
		return &bundle.Tally{Worst: run.NothingExpected, SeedsTally: bundle.SeedsTally{FirstBroke: map[string]uint64{"a": n + 3, "b": n}}}
	}
	missed := &bundle.Tally{Worst: run.Missed, SeedsTally: bundle.SeedsTally{FirstMiss: seed(9)}}
	untested := &bundle.Tally{Worst: run.Inconclusive, SeedsTally: bundle.SeedsTally{FirstMiss: seed(2)}}
	for name, tt := range map[string]struct {
		tallies []*bundle.Tally
		want    uint64
	}{
		"missed first":    {[]*bundle.Tally{untested, broke(5), missed}, 9},
		"broken":          {[]*bundle.Tally{untested, broke(5)}, 5},
		"tested nothing":  {[]*bundle.Tally{{Worst: run.Met}, untested}, 2},
		"nothing to tell": {[]*bundle.Tally{{Worst: run.Met}}, 1},
		"interrupted":     {nil, 1},
	} {
		if got := seedToStore(tt.tallies, 1); got != tt.want {
			t.Errorf("%s: seed %d, want %d", name, got, tt.want)
		}
	}
}
