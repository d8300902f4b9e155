package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/export"
	"lockstep/internal/report/forms"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/rundir"
	"lockstep/internal/runstore"
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
	suite   bundle.Suite
	tried   run.Tried // of programs
	own     bool      // a program was played
}

func newOutput(f *runFlags) *output {
	return &output{f: f, started: time.Now(), met: true}
}

// result stores one result and shows it.
func (o *output) result(r *run.Result) error {
	took := time.Since(o.started)
	o.started = time.Now()
	b, err := o.store(r)
	if err != nil {
		return err
	}
	o.met = o.met && r.Status().Good()
	o.suite.AddResult(r)
	o.took(r.Plan, r.Outcomes)
	if o.f.json {
		data, err := export.Result(b)
		o.objects = append(o.objects, data)
		return err
	}
	if o.shown++; o.shown > 1 {
		fmt.Fprintln(o.f.stdout)
	}
	shown := o.f.terminal()
	shown.Took = took
	_, err = io.WriteString(o.f.stdout, terminal.Report(b, shown))
	return err
}

// took notes what a program was put to.
func (o *output) took(p *plan.Plan, outcomes []run.Outcome) {
	for i := range outcomes {
		if v, _ := p.Lock(outcomes[i].Lock); v.Program != nil {
			o.tried.Add(p, &outcomes[i])
			o.own = true
		}
	}
}

// finish prints what was kept for the end.
func (o *output) finish() error {
	if !o.f.json {
		o.f.tellNotPlayed(o.f.stdout)
		if o.plans > 1 {
			fmt.Fprint(o.f.stdout, terminal.Suite(&o.suite, len(o.f.notPlayed), o.f.language))
		}
		if o.own {
			fmt.Fprintln(o.f.stdout)
			for _, line := range o.tried.Lines() {
				fmt.Fprintln(o.f.stdout, o.f.said(line))
			}
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
		Schema: 1, Met: o.met, Counts: o.suite.Counts(len(o.f.notPlayed)), Runs: o.objects, NotPlayed: o.f.notPlayed,
	}
	if o.f.playable && all.NotPlayed == nil {
		all.NotPlayed = []export.NotPlayed{} // somebody asked, and the answer is: nothing
	}
	return printJSON(o.f.stdout, all)
}

// store writes the run directory and returns what it shows.
func (o *output) store(r *run.Result) (*bundle.Bundle, error) {
	b := bundle.Of(r, o.f.replay(r.Plan, o.f.oneLock(r.Plan), r.Seed), buildVersion())
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

// runFiles are the files of a run directory.
func (f *runFlags) runFiles(r *run.Result, b *bundle.Bundle) ([]runstore.File, error) {
	logs := rundir.Logs(r)
	b.Logs = len(logs) > 0
	shown, err := forms.Render(forms.With(f.forms), f.language, b)
	if err != nil {
		return nil, err
	}
	own, err := rundir.Files(r, rundir.Env{Version: buildVersion(), Scale: f.scale, Locks: f.locks})
	return slices.Concat(shown, logs, own), err
}

// version is what make dist writes into the program; "" in any other.
var version string

// buildVersion is the module's version, or the commit that the program was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
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
