package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/export"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/scenario"
)

// output shows results as they come: as text at once, as one JSON object at the end.
type output struct {
	f       *runFlags
	started time.Time
	objects []json.RawMessage
	met     bool
	shown   int
	stored  int
	dir     string // of what was stored last
	plans   int    // how many of them there will be
	suite   suite
}

func newOutput(f *runFlags) *output {
	return &output{f: f, started: time.Now(), met: true}
}

// result stores one result and shows it.
func (o *output) result(r *run.Result) error {
	took := time.Since(o.started)
	o.started = time.Now()
	bundle, err := o.store(r)
	if err != nil {
		return err
	}
	o.met = o.met && r.Status().Good()
	o.suite.addResult(r)
	if o.f.json {
		data, err := export.Result(bundle)
		o.objects = append(o.objects, data)
		return err
	}
	if o.shown++; o.shown > 1 {
		fmt.Fprintln(o.f.stdout)
	}
	text := terminal.Report(bundle, terminal.Options{
		Color: o.f.color(), Width: o.f.width(), Took: took, Brief: o.f.quiet, Language: o.f.language,
	})
	_, err = io.WriteString(o.f.stdout, text)
	return err
}

// finish prints what was kept for the end.
func (o *output) finish() error {
	if !o.f.json {
		o.f.tellNotPlayed(o.f.stdout)
		if o.plans > 1 {
			o.suite.print(o.f.globals, len(o.f.notPlayed))
		}
		return nil
	}
	if len(o.objects) == 1 && len(o.f.notPlayed) == 0 {
		_, err := o.f.stdout.Write(append(bytes.TrimSpace(o.objects[0]), '\n'))
		return err
	}
	if o.objects == nil {
		o.objects = []json.RawMessage{}
	}
	all := export.SeveralResult{
		Schema: 1, Met: o.met, Counts: o.suite.counts(len(o.f.notPlayed)), Runs: o.objects, NotPlayed: o.f.notPlayed,
	}
	if o.f.playable && all.NotPlayed == nil {
		all.NotPlayed = []export.NotPlayed{} // somebody asked, and the answer is: nothing
	}
	return printJSON(o.f.stdout, all)
}

// store writes the run directory and returns what it shows.
func (o *output) store(r *run.Result) (*bundle.Bundle, error) {
	b := bundleOf(r, o.f.replay(r.Plan, o.f.oneLock(r.Plan), r.Seed))
	dir := runstore.Dir(o.f.out, r.Plan.Slug, r.Seed, time.Now())
	_, err := runstore.Save(o.f.out, dir, func(dir string) ([]runstore.File, error) {
		b.RunDir = dir // another one where two runs end in the same millisecond
		files, err := o.f.runFiles(r, b)
		if err != nil {
			err = &bugError{err}
		}
		return files, err
	})
	var bug *bugError
	switch {
	case errors.As(err, &bug):
		return nil, err
	case err != nil:
		return nil, &environmentError{err}
	}
	o.stored++
	o.dir = b.RunDir
	publish(b, o.plans)
	return b, nil
}

// index writes the list of all runs anew, once, when the runs are done.
func (o *output) index() error {
	if o.stored == 0 {
		return nil
	}
	return writeIndex(o.f.out, o.f.language)
}

// oneLock names the lock that --lock chose, for the replay line.
func (f *runFlags) oneLock(p *plan.Plan) string {
	if len(f.locks) == 0 || len(p.Locks) != 1 {
		return ""
	}
	return p.Locks[0]
}

// bundleOf is the result as reports want it.
func bundleOf(r *run.Result, replay string) *bundle.Bundle {
	b := &bundle.Bundle{
		Plan: r.Plan, Backend: r.Backend, Seed: r.Seed, Replay: replay, Hash: hashOf(r), Program: buildVersion(),
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		shown := bundle.Run{Lock: o.Lock, Judgement: o.Judgement, Untested: o.Untested()}
		for _, e := range o.Expected {
			shown.Expected = append(shown.Expected, bundle.Expected{
				Property: e.Property, Expected: e.Verdict, Got: string(e.Got), Met: e.Met(), Implied: e.Implied,
			})
		}
		b.Runs = append(b.Runs, shown)
	}
	return b
}

// hashOf is the hash of the one history, or the hash over the hashes of several.
func hashOf(r *run.Result) string {
	return hashOfHistories(r.Histories())
}

// runFiles are the files of a run directory.
func (f *runFlags) runFiles(r *run.Result, b *bundle.Bundle) ([]runstore.File, error) {
	logs := logFiles(r)
	b.Logs = len(logs) > 0
	files, err := render(formats, f.language, b)
	if err != nil {
		return nil, err
	}
	files = append(files, logs...)
	story := []byte(scenario.Resolved(r.Plan))
	started := storedEnv{
		Schema: 1, Version: buildVersion(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Backend: r.Backend, File: r.Plan.File, Scale: f.scale, Locks: f.locks, ScenarioSHA256: sha256Of(story), Lines: map[string]int{},
	}
	for _, e := range r.Plan.Expect {
		started.Lines[e.Lock+"/"+e.Property] = e.Line
	}
	env, err := json.MarshalIndent(started, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(files,
		runstore.File{Name: historyName, Write: func(w io.Writer) error { return history.WriteJSONL(w, r.Histories()...) }},
		runstore.File{Name: storyName, Data: story},
		runstore.File{Name: envName, Data: append(env, '\n')},
	), nil
}

// logsDir is where a run directory has the logs of its servers.
const logsDir = "stores"

// logFiles are the logs of the servers, those of several locks in a folder each. A
// server may log what clients have sent it, so what could steer a terminal is shown
// instead of obeyed.
func logFiles(r *run.Result) []runstore.File {
	var files []runstore.File
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		dir := logsDir
		if len(r.Outcomes) > 1 {
			dir = fmt.Sprintf("%s/%d-%s", logsDir, i+1, unfitForFiles.ReplaceAllString(o.Lock, "-"))
		}
		for _, server := range slices.Sorted(maps.Keys(o.Logs)) {
			name := dir + "/" + unfitForFiles.ReplaceAllString(server, "-") + ".log"
			files = append(files, runstore.File{Name: name, Data: []byte(terminalLines(string(o.Logs[server])))})
		}
	}
	return files
}

// buildVersion is the module's version, or the commit that the program was built from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return info.Main.Version
}

func printJSON(w io.Writer, v any) error {
	data, err := clean.JSON(v)
	if err != nil {
		return &bugError{err}
	}
	_, err = w.Write(data)
	return err
}

// printCells is printJSON for what has long lists of small things.
func printCells(w io.Writer, v any) error {
	data, err := clean.JSONTable(v)
	if err != nil {
		return &bugError{err}
	}
	_, err = w.Write(data)
	return err
}

// reportPath is where a run's page is.
func reportPath(dir string) string { return filepath.Join(dir, "report.html") }
