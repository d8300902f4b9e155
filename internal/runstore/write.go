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

// Keep stores a judged run in dir, or in another directory if that name is taken (see Save), and
// sets b.RunDir. It writes the forms of every run and those chosen, the logs of the servers, and
// the files that Read needs. started has the version of the program, the scale and the locks. An
// error other than a DiskError is about drawing the forms.
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

// evidence makes the files that Read needs.
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

// logsName is the folder of a run directory with the logs of its servers.
const logsName = "stores"

// serverLogs are the logs of the servers, in a folder for each lock if there are several. A server
// may log texts of clients, so characters that could steer a terminal are escaped.
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
