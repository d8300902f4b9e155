package runstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"

	"lockstep/internal/report/export"
)

// Stored is one run directory of a store.
type Stored struct {
	Scenario string    // name of the directory of the scenario
	Name     string    // of the run's directory in it
	At       time.Time // when the run was stored, in UTC; zero when the name does not say
}

// Path is where the run is, relative to the root of the store, with slashes.
func (s *Stored) Path() string { return path.Join(s.Scenario, s.Name) }

// The files of a run directory that a run is read back from.
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
	// AgainDir is the directory of the store for redrawn pages of stored runs. It is
	// one level deeper than runs are, so that nothing in it is listed as one.
	AgainDir = "again"
	// draftPrefix begins the names of what is not complete yet.
	draftPrefix = ".draft-"
	// resultSchema is the version of the form of result.json.
	resultSchema = 1
	// maxResultBytes is how large a result.json may be: some hundred bytes per lock.
	maxResultBytes = 4 << 20
)

// List returns the run directories of a store, newest first; those of the same
// millisecond by name. Links are not followed, so that nothing is listed twice.
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
	sort.SliceStable(out, func(i, j int) bool {
		if a, b := out[i].At, out[j].At; !a.Equal(b) {
			return a.After(b) // a name without a time comes last
		}
		return out[i].Name > out[j].Name
	})
	return out, nil
}

// Pages returns the paths of the pages of a store that are no runs: those at its root
// beside the index, sorted (of matrices, of comparisons), then those of sweeps and those of
// redrawn runs.
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

// ReadResult reads the result of a run in the directory dir of a file system; what programs before this one
// did not say is empty. Errors name the file; one that is not there is fs.ErrNotExist.
func ReadResult(store fs.FS, dir string) (*export.RunResult, error) {
	name := path.Join(dir, resultName)
	// Asked before it is opened: to open a pipe is to wait for its other end.
	info, err := fs.Stat(store, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	}
	f, err := store.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxResultBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxResultBytes:
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxResultBytes>>20)
	}
	var out export.RunResult
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case out.Schema != resultSchema:
		return nil, fmt.Errorf("%s: schema %d is not known here, only %d", name, out.Schema, resultSchema)
	case len(out.Locks) == 0:
		return nil, errors.New(name + " names no lock")
	case out.Hash == "":
		return nil, errors.New(name + " has no hash")
	}
	return &out, nil
}

// stampOf reads the time that a directory's name begins with.
func stampOf(name string) time.Time {
	stamp, _, _ := strings.Cut(name, "-")
	at, err := time.Parse(stampForm, stamp)
	if err != nil {
		return time.Time{}
	}
	return at
}

// IsDraft reports whether a name is that of a run, a page or a link that is not complete,
// or never became so because its process was killed.
func IsDraft(name string) bool { return strings.HasPrefix(name, draftPrefix) }

// hidden reports whether a name is not for readers: drafts are not.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }
