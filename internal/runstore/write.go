package runstore

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/report/artifacts"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Keep stores a judged run in dir, or in a directory beside it where another run has that name (see Save), which
// b says then: the forms that every run has and those chosen, the logs of the servers, and what the run is read
// back from. Of how it was started, the caller knows the version of the program, the scale and the locks. An
// error that is no DiskError is one of drawing the forms.
func Keep(root, dir string, r *run.Result, b *bundle.Bundle, chosen []artifacts.Form, l say.Language, started Env) error {
	_, err := Save(root, dir, func(dir string) ([]File, error) {
		b.RunDir = dir
		logs := serverLogs(r)
		b.Logs = len(logs) > 0
		shown, err := artifacts.Render(artifacts.With(chosen), l, b)
		if err != nil {
			return nil, err
		}
		own, err := evidence(r, started)
		return slices.Concat(shown, logs, own), err
	})
	return err
}

// evidence are the files that a run is read back from.
func evidence(r *run.Result, started Env) ([]File, error) {
	story := []byte(scenario.Resolved(r.Plan))
	started.Schema, started.Go, started.OS, started.Arch = 1, runtime.Version(), runtime.GOOS, runtime.GOARCH
	started.Backend, started.File, started.Changes, started.ScenarioSHA256, started.Lines = r.Backend, r.Plan.File, r.Plan.Changes, SHA256(story), map[string]int{}
	for _, h := range r.Histories() {
		started.OperationsHashes = append(started.OperationsHashes, h.OperationsHash())
	}
	for _, e := range r.Plan.Expect {
		started.Lines[e.Lock+"/"+e.Property] = e.Line
	}
	env, err := json.MarshalIndent(started, "", "  ")
	if err != nil {
		return nil, err
	}
	return []File{
		{Name: HistoryName, Write: func(w io.Writer) error { return history.WriteJSONL(w, r.Histories()...) }},
		{Name: StoryName, Data: story},
		{Name: EnvName, Data: append(env, '\n')},
	}, nil
}

// logsName is where a run directory has the logs of its servers.
const logsName = "stores"

// serverLogs are the logs of the servers, those of several locks in a folder each. A
// server may log what clients have sent it, so what could steer a terminal is shown
// instead of obeyed.
func serverLogs(r *run.Result) []File {
	var files []File
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		dir := logsName
		if len(r.Outcomes) > 1 {
			dir = fmt.Sprintf("%s/%d-%s", logsName, i+1, sanitize.Dashed(o.Lock))
		}
		for _, server := range slices.Sorted(maps.Keys(o.Logs)) {
			name := dir + "/" + sanitize.Dashed(server) + ".log"
			files = append(files, File{Name: name, Data: []byte(sanitize.Lines(string(o.Logs[server])))})
		}
	}
	return files
}
