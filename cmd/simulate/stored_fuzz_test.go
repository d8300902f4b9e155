package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/terminal"
	"lockstep/internal/runstore"
)

// shortHistory is the least history that a run directory needs.
const shortHistory = `{"schema":2,"scenario":"Alone","lock":"set-nx-lua","seed":7,"backend":"sim","scale_ppm":1000000,"lease_ns":10000000000,"fence":"none","nodes":[{"name":"A","role":"client"}],"faults":[]}
{"true_us":0,"node":"A","kind":"waits"}
{"true_us":1000,"node":"A","kind":"acquired"}
{"true_us":2000.5,"node":"A","kind":"releasing"}
{"true_us":3000,"node":"A","kind":"released"}
`

const shortStory = "scenario: Alone\nlocks: [set-nx-lua]\nclients: [A, B]\nexpect:\n  set-nx-lua: {mutual-exclusion: kept}\n"

// fittingResult is a result.json for histories, as far as it is compared with them.
func fittingResult(all []*history.History) []byte {
	locks := []map[string]any{}
	for _, h := range all {
		locks = append(locks, map[string]any{"lock": h.Header.Lock})
	}
	data, err := sanitize.JSON(map[string]any{"schema": 1, "seed": all[0].Header.Seed, "hash": history.HashAll(all), "locks": locks})
	if err != nil {
		return nil // a lock that is no text
	}
	return data
}

// FuzzOpenRun opens run directories with any bytes in their files. They are refused or judged, with
// bounded memory, and stay as they are. With fits, the result matches the histories, so that later
// checks are reached as well.
func FuzzOpenRun(f *testing.F) {
	env := []byte(`{"schema": 1, "version": "v1", "backend": "sim", "scenario_file": "alone.yaml", "scale": "1", "locks": ["set-nx-lua"], "expect_lines": {"set-nx-lua/mutual-exclusion": 5}}`)
	f.Add([]byte(shortHistory), []byte(shortStory), env, []byte("null"), true)
	f.Add([]byte(shortHistory), []byte(shortStory), env, []byte(`{"schema": 1, "hash": "00", "seed": 7, "locks": [{"lock": "set-nx-lua"}]}`), false)
	f.Add([]byte(shortHistory+shortHistory), []byte(shortStory), []byte("null"), []byte("{"), true)
	f.Add([]byte(shortHistory), []byte("- "), []byte(`{"schema": 1, "scale": "`+"`x`"+`"}`), []byte(""), true)
	f.Fuzz(func(t *testing.T, stored, story, env, result []byte, fits bool) {
		if all, err := history.ReadAllJSONL(bytes.NewReader(stored)); err == nil && fits {
			result = fittingResult(all)
		}
		dir := t.TempDir()
		files := map[string][]byte{runstore.HistoryName: stored, runstore.StoryName: story, runstore.EnvName: env, "result.json": result}
		size := 0
		for name, data := range files {
			size += len(data)
			must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := runstore.Read(t.Context(), dir)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20+2000*uint64(size) {
			t.Errorf("%d bytes took %d of memory", size, took)
		}
		switch {
		case err != nil:
			checkTerminal(t, "the error", terminalLines(err.Error()))
		case history.HashAll(s.Histories) != s.Was.Hash:
			t.Error("a history that does not match its result is accepted")
		default:
			r := s.Result()
			checkTerminal(t, "the terminal", terminal.Report(bundle.Of(r, again(s, r), buildVersion()), terminal.Options{Width: 80}))
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(files) {
			t.Errorf("the directory holds %v, %v", entries, err)
		}
		for name, data := range files {
			if now, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(now, data) {
				t.Errorf("%s was changed, %v", name, err)
			}
		}
	})
}
