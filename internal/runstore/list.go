package runstore

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
)

// Stored is one run directory of a store.
type Stored struct {
	Scenario string    // name of the directory of the scenario
	Name     string    // of the run's directory in it
	At       time.Time // when the run was stored, in UTC; zero if the name has no time
}

// Path is where the run is, relative to the root of the store, with slashes.
func (s *Stored) Path() string { return path.Join(s.Scenario, s.Name) }

// The files of a run directory that Read needs.
const (
	HistoryName = "history.jsonl"
	StoryName   = "scenario.yaml"
	EnvName     = "env.json"
	resultName  = "result.json"
)

const (
	stampForm  = "20060102T150405.000Z"
	indexName  = "index.html"
	latestName = "latest"
	// AgainDir is the directory of the store for redrawn pages of stored runs. They are one level
	// deeper than runs, so they are not listed as runs.
	AgainDir = "again"
	// draftPrefix begins the names of drafts.
	draftPrefix = ".draft-"
	// maxResultBytes limits result.json, which has some hundred bytes per lock.
	maxResultBytes = 4 << 20
)

// List returns the run directories of a store, newest first, those of the same millisecond by name.
// It does not follow links, so it lists nothing twice.
func List(store fs.FS) ([]Stored, error) {
	scenarios, err := fs.ReadDir(store, ".")
	if err != nil {
		return nil, err
	}
	var out []Stored
	for _, s := range scenarios {
		if !s.IsDir() || hidden(s.Name()) {
			continue
		}
		runs, err := fs.ReadDir(store, s.Name())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // removed meanwhile
		case err != nil:
			return nil, err
		}
		for _, r := range runs {
			if !r.IsDir() || hidden(r.Name()) {
				continue
			}
			found := Stored{Scenario: s.Name(), Name: r.Name(), At: stampOf(r.Name())}
			info, err := fs.Stat(store, path.Join(found.Path(), resultName))
			if err == nil && info.Mode().IsRegular() {
				out = append(out, found)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Stored) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(b.Name, a.Name)) // names without a time come last
	})
	return out, nil
}

// Pages returns the paths of the pages of a store that are not runs: those at its root beside the
// index, such as matrices and comparisons, sorted, then those of sweeps and of redrawn runs.
func Pages(store fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(store, ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && !hidden(e.Name()) && path.Ext(e.Name()) == ".html" && e.Name() != indexName {
			out = append(out, e.Name())
		}
	}
	for _, pattern := range []string{"sweep/*/sweep.html", AgainDir + "/*/*/report.html"} {
		found, err := fs.Glob(store, pattern)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// ReadResult reads the result of a run in the directory dir of a file system. Fields that older
// programs did not write are empty. Errors name the file; a missing one is fs.ErrNotExist.
func ReadResult(store fs.FS, dir string) (*export.RunResult, error) {
	name := path.Join(dir, resultName)
	// It must be regular before it is opened, since opening a pipe blocks.
	info, err := fs.Stat(store, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	case info.Size() > maxResultBytes:
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxResultBytes>>20)
	}
	data, err := fs.ReadFile(store, name)
	if err != nil {
		return nil, err
	}
	var out export.RunResult
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case out.Schema != bundle.ResultSchema:
		return nil, fmt.Errorf("%s: schema %d is not known here, only %d", name, out.Schema, bundle.ResultSchema)
	case len(out.Locks) == 0:
		return nil, errors.New(name + " names no lock")
	case out.Hash == "":
		return nil, errors.New(name + " has no hash")
	}
	return &out, nil
}

// stampOf reads the time at the beginning of a directory's name; zero without one.
func stampOf(name string) time.Time {
	stamp, _, _ := strings.Cut(name, "-")
	at, _ := time.Parse(stampForm, stamp) // zero with an error
	return at
}

// IsDraft reports whether a name is that of an incomplete run, page or link. A killed process
// leaves such drafts behind.
func IsDraft(name string) bool { return strings.HasPrefix(name, draftPrefix) }

// hidden reports whether a name is hidden from readers, such as that of a draft.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }
