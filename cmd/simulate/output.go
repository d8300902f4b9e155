package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/report"
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
	o.met = o.met && r.Status() == run.Met
	if o.f.json {
		data, err := report.Result(bundle)
		o.objects = append(o.objects, data)
		return err
	}
	if o.shown++; o.shown > 1 {
		fmt.Println()
	}
	text := report.Terminal(bundle, report.TerminalOptions{
		Color: o.f.color(), Width: o.f.width(), Took: took, Brief: o.f.quiet,
	})
	_, err = io.WriteString(os.Stdout, text)
	return err
}

// finish prints what was kept for the end.
func (o *output) finish() error {
	if !o.f.json {
		o.f.tellNotPlayed(os.Stdout)
		return nil
	}
	if len(o.objects) == 1 && len(o.f.notPlayed) == 0 {
		_, err := os.Stdout.Write(append(bytes.TrimSpace(o.objects[0]), '\n'))
		return err
	}
	if o.objects == nil {
		o.objects = []json.RawMessage{}
	}
	all := map[string]any{"schema": 1, "met": o.met, "runs": o.objects}
	if o.f.playable {
		all["not_played"] = o.f.notPlayed
	}
	return printJSON(os.Stdout, all)
}

// store writes the run directory and returns what it shows.
func (o *output) store(r *run.Result) (*report.Bundle, error) {
	b := bundleOf(r, o.f.replay(r.Plan, o.oneLock(r), r.Seed))
	b.RunDir = runstore.Dir(o.f.out, r.Plan.Slug, r.Seed, time.Now())
	files, err := runFiles(r, b)
	if err != nil {
		return nil, &bugError{err}
	}
	if err := runstore.Save(o.f.out, b.RunDir, files); err != nil {
		return nil, &environmentError{err}
	}
	return b, nil
}

// oneLock names the lock that --lock chose, for the replay line.
func (o *output) oneLock(r *run.Result) string {
	if len(o.f.locks) == 0 || len(r.Plan.Locks) != 1 {
		return ""
	}
	return r.Plan.Locks[0]
}

// bundleOf is the result as reports want it.
func bundleOf(r *run.Result, replay string) *report.Bundle {
	b := &report.Bundle{
		Plan: r.Plan, Backend: r.Backend, Seed: r.Seed, Replay: replay, Hash: hashOf(r),
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		shown := report.Run{Lock: o.Lock, Judgement: o.Judgement, Untested: o.Untested()}
		for _, e := range o.Expected {
			shown.Expected = append(shown.Expected, report.Expected{
				Property: e.Property, Expected: e.Verdict, Got: string(e.Got), Met: e.Met(),
			})
		}
		b.Runs = append(b.Runs, shown)
	}
	return b
}

// hashOf is the hash of the one history, or the hash over the hashes of several.
func hashOf(r *run.Result) string {
	if len(r.Outcomes) == 1 {
		h := r.Outcomes[0].Judgement.History.Hash()
		return hex.EncodeToString(h[:])
	}
	sum := sha256.New()
	for i := range r.Outcomes {
		h := r.Outcomes[i].Judgement.History.Hash()
		sum.Write(h[:])
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// runFiles are the files of a run directory.
func runFiles(r *run.Result, b *report.Bundle) ([]runstore.File, error) {
	var histories bytes.Buffer
	for i := range r.Outcomes {
		if err := history.WriteJSONL(&histories, r.Outcomes[i].Judgement.History); err != nil {
			return nil, err
		}
	}
	var files []runstore.File
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		plot, err := report.HoldersOverTime(o.Judgement.History, o.Judgement.Findings)
		if err != nil {
			return nil, err
		}
		files = append(files, runstore.File{Name: "plots/holders-" + o.Lock + ".svg", Data: plot})
	}
	result, err := report.Result(b)
	if err != nil {
		return nil, err
	}
	page, err := report.HTML(b)
	if err != nil {
		return nil, err
	}
	env, err := json.MarshalIndent(map[string]any{
		"schema": 1, "version": buildVersion(), "go": runtime.Version(),
		"os": runtime.GOOS, "arch": runtime.GOARCH, "backend": r.Backend,
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(files,
		runstore.File{Name: "history.jsonl", Data: histories.Bytes()},
		runstore.File{Name: "scenario.yaml", Data: []byte(scenario.Resolved(r.Plan))},
		runstore.File{Name: "env.json", Data: append(env, '\n')},
		runstore.File{Name: "report.html", Data: page},
		runstore.File{Name: "result.json", Data: result},
	), nil
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
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// reportPath is where a run's page is.
func reportPath(dir string) string { return filepath.Join(dir, "report.html") }
