package runstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/interrupt"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/report/export"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/store"
)

// maxEnvBytes limits env.json, which has a line for each expectation.
const maxEnvBytes = 1 << 20

// maxHistoryBytes limits a file of histories. Reading it takes about a tenth of that in memory.
const maxHistoryBytes = 4 << 30

// Env is the content of env.json: how a run was started.
type Env struct {
	Schema  int      `json:"schema"`
	Version string   `json:"version"`
	Go      string   `json:"go"`
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Backend string   `json:"backend"`
	File    string   `json:"scenario_file"`
	Scale   string   `json:"scale"`
	Own     *Own     `json:"own_lock,omitempty"` // nil: the lock is one of this program's, or a program
	Locks   []string `json:"locks,omitempty"`    // of --lock
	Changes []string `json:"changes,omitempty"`  // of --set
	// ScenarioSHA256 is the hash of scenario.yaml, which the hash of the histories does not cover;
	// "" in runs of older programs.
	ScenarioSHA256 string `json:"scenario_sha256,omitempty"`
	// OperationsHashes are the hashes of operations by history; nil in runs of older programs,
	// which have no operations.
	OperationsHashes []string `json:"operations_hashes,omitempty"`
	// Lines are the lines of expectations in the scenario file, by "lock/property". The resolved
	// scenario has other lines.
	Lines map[string]int `json:"expect_lines,omitempty"`
}

// Own is a user's lock, tested with package locktest: its code is not in this program.
type Own struct {
	Store locks.Store `json:"store"`
	Nodes int         `json:"nodes,omitempty"` // of a store of several independent servers
	Again string      `json:"again"`           // the command that plays the run again
}

// Run is a run directory, read back.
type Run struct {
	Dir       string
	Env       Env
	Plan      *plan.Plan
	Histories []*history.History
	Was       *export.RunResult // result.json
}

// Read reads a run directory and verifies that it is unchanged. Errors about its content name the
// file.
func Read(ctx context.Context, arg string) (*Run, error) {
	s := &Run{Dir: arg}
	if real, err := filepath.EvalSymlinks(arg); err == nil {
		s.Dir = real // reports/latest
	} else if target, gone := Dangling(arg); gone {
		return nil, fmt.Errorf("%s leads to %s, which is gone; `simulate list runs` shows what is there", arg, target)
	}
	info, err := os.Stat(s.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no run directory %s; `simulate list runs` shows them", arg)
	case err != nil:
		return nil, Unread(err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file: name the run directory that it is in", arg)
	}
	if s.Histories, err = s.readHistories(ctx, arg); err != nil {
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

// open opens a regular file of the run. Reading anything else, such as a pipe, could block.
func (s *Run) open(name string) (*os.File, error) {
	info, err := os.Stat(s.file(name))
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file: %s", s.file(name), restore)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(s.file(name))
}

// read reads a file of the run with at most limit bytes.
func (s *Run) read(name string, limit int64) ([]byte, error) {
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

// IsRun reports whether a directory is that of a run: it contains a history.
func IsRun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, HistoryName))
	return err == nil
}

// Dangling reports whether a path is a link to a missing target, such as reports/latest after that
// run was removed, and returns the target.
func Dangling(path string) (target string, gone bool) {
	target, err := os.Readlink(path)
	if err != nil {
		return "", false
	}
	_, err = os.Stat(path)
	return target, errors.Is(err, fs.ErrNotExist)
}

func (s *Run) file(name string) string { return filepath.Join(s.Dir, name) }

// HasLogs reports whether the run has logs of servers.
func (s *Run) HasLogs() bool {
	info, err := os.Stat(s.file(logsName))
	return err == nil && info.IsDir()
}

func (s *Run) readHistories(ctx context.Context, arg string) ([]*history.History, error) {
	name := s.file(HistoryName)
	f, err := s.open(HistoryName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not a run directory: it has no history.jsonl; `simulate list runs` shows them", arg)
	case err != nil:
		return nil, NotRead(err)
	}
	defer f.Close()
	all, err := ReadHistories(ctx, name, f)
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

// readEnv reads env.json. It may be missing, since it only says how the run was started.
func (s *Run) readEnv() error {
	s.Env.Scale = "1"
	data, err := s.read(EnvName, maxEnvBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return NotRead(err)
	}
	if err := json.Unmarshal(data, &s.Env); err != nil {
		return fmt.Errorf("%s: %w: %s", s.file(EnvName), err, restore)
	}
	if s.Env.Schema != 1 {
		return fmt.Errorf("%s: schema %d is not known here, only 1: %s", s.file(EnvName), s.Env.Schema, restore)
	}
	if s.Env.Scale == "" {
		s.Env.Scale = "1"
	}
	return nil
}

// readPlan reads the resolved scenario under the name of the original file.
func (s *Run) readPlan() error {
	name := s.file(StoryName)
	data, err := s.read(StoryName, scenario.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no scenario.yaml; `simulate check %s` judges the history alone", s.Dir, s.file(HistoryName))
	case err != nil:
		return NotRead(err)
	}
	if s.Plan, err = s.parse(s.Env.File, data); err != nil {
		_, err = s.parse(name, data) // the same problems with the name of the stored file
		return err
	}
	s.Plan.Changes = s.Env.Changes
	if was := s.Env.ScenarioSHA256; was != "" && was != SHA256(data) {
		return fmt.Errorf("%s is not the scenario that was played, by the hash in env.json: %s", name, restore)
	}
	for i := range s.Plan.Expect {
		e := &s.Plan.Expect[i]
		e.Line = max(s.Env.Lines[e.Lock+"/"+e.Property], 0)
	}
	return nil
}

// parse reads the scenario, which may be about a user's own lock.
func (s *Run) parse(name string, data []byte) (*plan.Plan, error) {
	own := s.Env.Own
	if own == nil {
		return scenario.ParseStored(name, data, nil)
	}
	v := locks.Variant{ID: s.Histories[0].Header.Lock, Store: own.Store}
	if v.Servers.Nodes = own.Nodes; store.Of(own.Store) == nil || own.Nodes < 0 {
		return nil, fmt.Errorf("%s: own_lock: there is no store %q with %d nodes: %s", s.file(EnvName), own.Store, own.Nodes, restore)
	}
	return scenario.ParseStored(name, data, &v)
}

// DiskError is a failure to read or write a file.
type DiskError struct{ error }

// Unwrap returns the cause.
func (e *DiskError) Unwrap() error { return e.error }

// Unread is the error for an existing file that cannot be read.
func Unread(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: make it readable", err)
	}
	return &DiskError{err}
}

// NotRead is the error for a file that was not read: a DiskError if it is about the disk.
func NotRead(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return Unread(err)
	}
	return err
}

// SHA256 is a hash in the form of env.json.
func SHA256(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// Result judges the stored histories.
func (s *Run) Result() *run.Result {
	header := &s.Histories[0].Header
	outcomes := each.Map(s.Histories, func(h *history.History) run.Outcome { return run.Stored(s.Plan, h) })
	return &run.Result{Plan: s.Plan, Backend: header.Backend, Seed: header.Seed, Outcomes: outcomes}
}

// ReadHistories reads one file of histories. Errors name the file and the line, as compilers do. It
// returns when ctx ends, even while it waits for input.
func ReadHistories(ctx context.Context, name string, r io.Reader) ([]*history.History, error) {
	limited := &io.LimitedReader{R: &interrupt.Reader{Ctx: ctx, From: r}, N: maxHistoryBytes + 1}
	all, err := interrupt.Unless(ctx, "reading "+name, func() ([]*history.History, error) {
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
			return nil, Unread(path)
		}
		return nil, fmt.Errorf("%s:%d: %w", name, line.Line, line.Err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// restore is the remedy for a run directory that was changed.
const restore = "take the run directory from a copy, or play the run again"

// verify compares the histories with the plan and with result.json: changed evidence proves
// nothing. Locks that an interrupted run did not reach have neither history nor result.
func (s *Run) verify() error {
	was, err := ReadResult(os.DirFS(s.Dir), ".")
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s has no result.json to compare the history with; `simulate check %s` judges the history alone", s.Dir, s.file(HistoryName))
	case errors.As(err, &path):
		return Unread(fmt.Errorf("%s: %w", s.Dir, err))
	case err != nil:
		return fmt.Errorf("%s/%w: %s", s.Dir, err, restore)
	}
	s.Was = was
	told := each.Map(s.Histories, func(h *history.History) string { return h.Header.Lock })
	judged := each.Map(was.Locks, func(l export.LockResult) string { return l.Lock })
	name := s.file(HistoryName)
	switch {
	case !slices.Equal(told, judged):
		return fmt.Errorf("%s tells of the locks %s, and result.json of %s: %s", name, LockList(told), LockList(judged), restore)
	case len(told) > len(s.Plan.Locks) || !slices.Equal(told, s.Plan.Locks[:len(told)]):
		return fmt.Errorf("%s tells of the locks %s, and scenario.yaml of %s: %s", name, LockList(told), LockList(s.Plan.Locks), restore)
	case was.Seed != s.Histories[0].Header.Seed:
		return fmt.Errorf("%s tells of seed %d, and result.json of %d: %s", name, s.Histories[0].Header.Seed, was.Seed, restore)
	case was.Hash != history.HashAll(s.Histories):
		return fmt.Errorf("%s was cut or changed: result.json was made from a history with the hash %s, and this one has %s: %s",
			name, was.Hash, history.HashAll(s.Histories), restore)
	case !s.meansTheSame():
		return fmt.Errorf("%s was changed: what its requests are, or its servers, is not what env.json was made from: %s", name, restore)
	}
	return nil
}

// meansTheSame reports whether operations and servers are unchanged. Older runs did not store their
// hashes.
func (s *Run) meansTheSame() bool {
	was := s.Env.OperationsHashes
	for i, h := range s.Histories {
		if was != nil && (i >= len(was) || was[i] != h.OperationsHash()) {
			return false
		}
	}
	return true
}

// Unplayed are the locks of the plan that an interrupted run did not reach.
func (s *Run) Unplayed() []string { return s.Plan.Locks[len(s.Histories):] }

// LockList names locks in a sentence, but only some if a hostile file has very many.
func LockList(names []string) string {
	const most = 10
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return say.Names(names).In(say.English)
}
