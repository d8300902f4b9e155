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
)

// Stored is one run directory of a store.
type Stored struct {
	Scenario string    // name of the directory of the scenario
	Name     string    // of the run's directory in it
	At       time.Time // when the run was stored, in UTC; zero when the name does not say
}

// Path is where the run is, relative to the root of the store, with slashes.
func (s *Stored) Path() string { return path.Join(s.Scenario, s.Name) }

// Summary is what result.json says about a run, as far as lists need it.
type Summary struct {
	Scenario string `json:"scenario"`
	Seed     uint64 `json:"seed"`
	Backend  string `json:"backend"`
	Hash     string `json:"hash"`
	Met      bool   `json:"met"`
	Versions struct {
		Checker int `json:"checker"` // 0: by a program that did not say
	} `json:"versions"`
	Locks []LockSummary `json:"locks"`
}

// LockSummary is what became of one lock.
type LockSummary struct {
	Lock     string `json:"lock"`
	Met      bool   `json:"met"`
	Verdicts map[string]struct {
		Verdict string `json:"verdict"`
		Count   int    `json:"count"`
	} `json:"verdicts"`
}

const (
	stampForm  = "20060102T150405.000Z"
	resultName = "result.json"
	indexName  = "index.html"
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
		if err != nil {
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
// beside the index, sorted (of matrices, of comparisons), then those of sweeps.
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
	sweeps, err := fs.Glob(store, "sweep/*/sweep.html")
	return append(out, sweeps...), err
}

// ReadSummary reads the result of a run in the directory dir of a file system. Errors
// name the file.
func ReadSummary(store fs.FS, dir string) (*Summary, error) {
	name := path.Join(dir, resultName)
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
	var out Summary
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(out.Locks) == 0 {
		return nil, errors.New(name + " names no lock")
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

// hidden reports whether a name is not for readers: drafts are not.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }
