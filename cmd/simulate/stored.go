package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// maxHistoryBytes is how large a file of histories may be. A reader keeps some
// ten times less than that in memory, so it is the machine that says no first.
const maxHistoryBytes = 4 << 30

// storedEnv is what env.json says about how a run was started.
type storedEnv struct {
	Schema  int      `json:"schema"`
	Version string   `json:"version"`
	Go      string   `json:"go"`
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Backend string   `json:"backend"`
	File    string   `json:"scenario_file"`
	Scale   string   `json:"scale"`
	Locks   []string `json:"locks,omitempty"` // of --lock
	// Lines are where the scenario file says what it expects, by "lock/property":
	// the resolved scenario has other lines.
	Lines map[string]int `json:"expect_lines,omitempty"`
}

// storedRun is a run directory, read back.
type storedRun struct {
	dir       string
	env       storedEnv
	plan      *plan.Plan
	histories []*history.History
}

// openRun reads a run directory. Errors about what is in it name the file.
func openRun(ctx context.Context, arg string) (*storedRun, error) {
	s := &storedRun{dir: arg}
	if real, err := filepath.EvalSymlinks(arg); err == nil {
		s.dir = real // reports/latest
	}
	info, err := os.Stat(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no run directory %s; `simulate list runs` shows them", arg)
	case err != nil:
		return nil, unreadable(err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file: name the run directory that it is in", arg)
	}
	if s.histories, err = s.readHistories(ctx, arg); err != nil {
		return nil, err
	}
	if err := s.readEnv(); err != nil {
		return nil, err
	}
	return s, s.readPlan()
}

func (s *storedRun) file(name string) string { return filepath.Join(s.dir, name) }

// hasLogs reports whether the logs of the servers are there.
func (s *storedRun) hasLogs() bool {
	info, err := os.Stat(s.file(logsDir))
	return err == nil && info.IsDir()
}

func (s *storedRun) readHistories(ctx context.Context, arg string) ([]*history.History, error) {
	name := s.file("history.jsonl")
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not a run directory: it has no history.jsonl; `simulate list runs` shows them", arg)
	case err != nil:
		return nil, unreadable(err)
	}
	defer f.Close()
	all, err := readHistories(ctx, name, f)
	if err != nil {
		return nil, err
	}
	first := &all[0].Header
	for _, h := range all[1:] {
		if h.Header.Seed != first.Seed || h.Header.Backend != first.Backend {
			return nil, fmt.Errorf("%s holds histories of different runs; `simulate check %s` judges each for itself", name, name)
		}
	}
	return all, nil
}

// readEnv reads env.json, which tells no more than how the run was started.
func (s *storedRun) readEnv() error {
	s.env.Scale = "1"
	data, err := os.ReadFile(s.file("env.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(err)
	}
	if err := json.Unmarshal(data, &s.env); err != nil {
		return fmt.Errorf("%s: %w", s.file("env.json"), err)
	}
	if s.env.Scale == "" {
		s.env.Scale = "1"
	}
	return nil
}

// readPlan reads the resolved scenario and gives it the name that it was run by.
func (s *storedRun) readPlan() error {
	name := s.file("scenario.yaml")
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no scenario.yaml; `simulate check %s` judges the history alone", s.dir, s.file("history.jsonl"))
	case err != nil:
		return unreadable(err)
	}
	if s.plan, err = scenario.Parse(s.env.File, data); err != nil {
		_, err = scenario.Parse(name, data) // the same problems, at the right place
		return err
	}
	for i := range s.plan.Expect {
		e := &s.plan.Expect[i]
		e.Line = max(s.env.Lines[e.Lock+"/"+e.Property], 0)
	}
	return nil
}

// result judges the stored histories.
func (s *storedRun) result() *run.Result {
	header := &s.histories[0].Header
	r := &run.Result{Plan: s.plan, Backend: header.Backend, Seed: header.Seed}
	for _, h := range s.histories {
		r.Outcomes = append(r.Outcomes, run.Stored(s.plan, h))
	}
	return r
}

// again is the command line that plays the run again. Somebody will copy it into
// a shell, so nothing of the files gets into it unquoted.
func (s *storedRun) again(r *run.Result) string {
	f := &runFlags{locks: s.env.Locks, backend: shell.Word(r.Backend), scale: shell.Word(s.env.Scale)}
	return f.replay(s.plan, f.oneLock(s.plan), r.Seed)
}

// readHistories reads one file of histories. Errors name the file and the line,
// as compilers do. It ends when ctx ends, also while it waits for input.
func readHistories(ctx context.Context, name string, r io.Reader) ([]*history.History, error) {
	limited := &io.LimitedReader{R: &interruptible{ctx, r}, N: maxHistoryBytes + 1}
	var all []*history.History
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		all, err = history.ReadAllJSONL(limited)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, fmt.Errorf("interrupted while reading %s", name)
	}
	var line *history.LineError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted while reading %s", name)
	case limited.N <= 0:
		return nil, fmt.Errorf("%s is larger than %d GiB: split it, each part with the header line", name, maxHistoryBytes>>30)
	case errors.As(err, &line):
		var path *fs.PathError
		if errors.As(err, &path) {
			return nil, unreadable(path)
		}
		return nil, fmt.Errorf("%s:%d: %w", name, line.Line, line.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// interruptible is a reader that ends with its context.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// statusExit is the end of a command that has judged runs.
func statusExit(worst run.Status) error {
	switch worst {
	case run.Missed:
		return &silentExit{exitMissed}
	case run.Inconclusive:
		return &silentExit{exitInconclusive}
	case run.Failed:
		return &silentExit{exitBug}
	default:
		return nil
	}
}
