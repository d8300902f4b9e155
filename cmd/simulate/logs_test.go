package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"lockstep/internal/must"
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
