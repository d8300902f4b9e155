package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// The files of a run directory that a run is read back from, besides its result.json.
const (
	historyName = "history.jsonl"
	storyName   = "scenario.yaml"
	envName     = "env.json"
)

// maxEnvBytes is how large an env.json may be: a line for each expectation.
const maxEnvBytes = 1 << 20

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
	// ScenarioSHA256 is that of scenario.yaml, which the hash of the histories does not
	// cover; "" in runs of older programs.
	ScenarioSHA256 string `json:"scenario_sha256,omitempty"`
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
	was       *runstore.Summary // its result.json
}

// openRun reads a run directory and checks that it is as the run has left it (see
// verify). Errors about what is in it name the file.
func openRun(ctx context.Context, arg string) (*storedRun, error) {
	s := &storedRun{dir: arg}
	if real, err := filepath.EvalSymlinks(arg); err == nil {
		s.dir = real // reports/latest
	} else if target, gone := dangling(arg); gone {
		return nil, fmt.Errorf("%s leads to %s, which is gone; `simulate list runs` shows what is there", arg, target)
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
	if err := s.readPlan(); err != nil {
		return nil, err
	}
	return s, s.verify()
}

// open opens a file of the run. What is no file could keep its reader waiting, and is
// none of a run.
func (s *storedRun) open(name string) (*os.File, error) {
	f, err := os.OpenFile(s.file(name), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe has no writer to wait for
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file: %s", s.file(name), restore)
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	return f, nil
}

// read reads a file of the run that has no more than limit bytes.
func (s *storedRun) read(name string, limit int64) ([]byte, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d KiB: %s", s.file(name), limit>>10, restore)
	}
	return data, err
}

// dangling reports whether a path is a link that leads nowhere, such as reports/latest
// when that run was removed, and where it led to.
func dangling(path string) (target string, gone bool) {
	target, err := os.Readlink(path)
	if err != nil {
		return "", false
	}
	_, err = os.Stat(path)
	return target, errors.Is(err, fs.ErrNotExist)
}

func (s *storedRun) file(name string) string { return filepath.Join(s.dir, name) }

// hasLogs reports whether the logs of the servers are there.
func (s *storedRun) hasLogs() bool {
	info, err := os.Stat(s.file(logsDir))
	return err == nil && info.IsDir()
}

func (s *storedRun) readHistories(ctx context.Context, arg string) ([]*history.History, error) {
	name := s.file(historyName)
	f, err := s.open(historyName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not a run directory: it has no history.jsonl; `simulate list runs` shows them", arg)
	case err != nil:
		return nil, notRead(err)
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
	data, err := s.read(envName, maxEnvBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return notRead(err)
	}
	if err := json.Unmarshal(data, &s.env); err != nil {
		return fmt.Errorf("%s: %w: %s", s.file(envName), err, restore)
	}
	if s.env.Schema != 1 {
		return fmt.Errorf("%s: schema %d is not known here, only 1: %s", s.file(envName), s.env.Schema, restore)
	}
	if s.env.Scale == "" {
		s.env.Scale = "1"
	}
	return nil
}

// readPlan reads the resolved scenario and gives it the name that it was run by.
func (s *storedRun) readPlan() error {
	name := s.file(storyName)
	data, err := s.read(storyName, scenario.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no scenario.yaml; `simulate check %s` judges the history alone", s.dir, s.file(historyName))
	case err != nil:
		return notRead(err)
	}
	if s.plan, err = scenario.Parse(s.env.File, data); err != nil {
		_, err = scenario.Parse(name, data) // the same problems, at the right place
		return err
	}
	if was := s.env.ScenarioSHA256; was != "" && was != sha256Of(data) {
		return fmt.Errorf("%s is not the scenario that was played, by the hash in env.json: %s", name, restore)
	}
	for i := range s.plan.Expect {
		e := &s.plan.Expect[i]
		e.Line = max(s.env.Lines[e.Lock+"/"+e.Property], 0)
	}
	return nil
}

// notRead is the error for a file of a run that was not read: the disk says why, or we do.
func notRead(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return unreadable(err)
	}
	return err
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
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
	all, err := unlessInterrupted(ctx, "reading "+name, func() ([]*history.History, error) {
		return history.ReadAllJSONL(limited)
	})
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
		return &silentExit{code: exitMissed}
	case run.Inconclusive:
		return &silentExit{code: exitInconclusive}
	case run.Failed:
		return &silentExit{code: exitBug}
	default:
		return nil
	}
}
