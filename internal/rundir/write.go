package rundir

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/report/clean"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/scenario"
)

// Files are those that a run is read back from. Of how it was started, the caller knows the version
// of the program, the scale and the locks.
func Files(r *run.Result, started Env) ([]runstore.File, error) {
	story := []byte(scenario.Resolved(r.Plan))
	started.Schema, started.Go, started.OS, started.Arch = 1, runtime.Version(), runtime.GOOS, runtime.GOARCH
	started.Backend, started.File, started.Changes, started.ScenarioSHA256, started.Lines = r.Backend, r.Plan.File, r.Plan.Changes, SHA256(story), map[string]int{}
	for _, e := range r.Plan.Expect {
		started.Lines[e.Lock+"/"+e.Property] = e.Line
	}
	env, err := json.MarshalIndent(started, "", "  ")
	if err != nil {
		return nil, err
	}
	return []runstore.File{
		{Name: HistoryName, Write: func(w io.Writer) error { return history.WriteJSONL(w, r.Histories()...) }},
		{Name: StoryName, Data: story},
		{Name: EnvName, Data: append(env, '\n')},
	}, nil
}

// logsName is where a run directory has the logs of its servers.
const logsName = "stores"

// Logs are the logs of the servers, those of several locks in a folder each. A
// server may log what clients have sent it, so what could steer a terminal is shown
// instead of obeyed.
func Logs(r *run.Result) []runstore.File {
	var files []runstore.File
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		dir := logsName
		if len(r.Outcomes) > 1 {
			dir = fmt.Sprintf("%s/%d-%s", logsName, i+1, clean.Dashed(o.Lock))
		}
		for _, server := range slices.Sorted(maps.Keys(o.Logs)) {
			name := dir + "/" + clean.Dashed(server) + ".log"
			files = append(files, runstore.File{Name: name, Data: []byte(clean.Lines(string(o.Logs[server])))})
		}
	}
	return files
}
