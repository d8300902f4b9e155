package runstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"lockstep/internal/history"
)

// Pruned is a run to delete, or one that is kept although it is old.
type Pruned struct {
	run   Stored
	Dir   string `json:"run_dir"`
	Bytes int64  `json:"bytes"`
	Why   string `json:"why,omitempty"` // why it is kept
}

// Pruning is a plan to delete runs of a store.
type Pruning struct {
	root    string
	Schema  int      `json:"schema"`
	Deleted bool     `json:"deleted"`
	Bytes   int64    `json:"bytes"`       // of all runs, before
	Freed   int64    `json:"freed_bytes"` // of the runs to delete
	Runs    []Pruned `json:"runs"`
	Kept    []Pruned `json:"kept"`
}

// Prune plans to delete the oldest runs of the store at root until it has at most limit bytes.
func Prune(root string, store fs.FS, limit int64) (*Pruning, error) {
	runs, err := List(store)
	if err != nil {
		return nil, err
	}
	shown, err := shownBy(store)
	if err != nil {
		return nil, err
	}
	p := &Pruning{root: root, Schema: 1, Runs: []Pruned{}, Kept: []Pruned{}}
	all := make([]Pruned, len(runs))
	for i := range runs {
		size, _ := runs[i].size(store)
		all[i] = Pruned{run: runs[i], Dir: filepath.Join(root, filepath.FromSlash(runs[i].Path())), Bytes: size}
		p.Bytes += size
	}
	newest := latest(root)
	for i := len(all) - 1; i >= 0 && p.Bytes-p.Freed > limit; i-- {
		one := all[i]
		switch path := one.run.Path(); {
		case path == newest:
			one.Why = "the newest run"
		case shown[path]:
			one.Why = "shown by a page of the store"
		default:
			one.Why = one.run.keptAs(store)
		}
		if one.Why != "" {
			p.Kept = append(p.Kept, one)
			continue
		}
		p.Freed += one.Bytes
		p.Runs = append(p.Runs, one)
	}
	return p, nil
}

// keptAs says why a run must not be deleted for its age; "" if it may be. A simulated run that
// ended as expected can be played again at any time. Other runs are findings or cannot be repeated.
func (s *Stored) keptAs(store fs.FS) string {
	result, err := ReadResult(store, s.Path())
	switch {
	case err != nil || !s.own(store):
		return "unreadable or modified since the run"
	case !history.Simulated(result.Backend):
		return "played on real servers"
	case !result.Met:
		return "not as expected"
	}
	return ""
}

// Delete deletes the planned runs, the oldest first.
func (p *Pruning) Delete(ctx context.Context) error {
	for i := range p.Runs {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %d of %d runs were deleted", i, len(p.Runs))
		}
		err := remove(p.root, &p.Runs[i].run)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // another process may have deleted it
			return &DiskError{fmt.Errorf("%d of %d runs were deleted: %w", i, len(p.Runs), err)}
		}
	}
	p.Deleted = len(p.Runs) > 0
	return nil
}

// maxMeasured limits the files that Larger checks: every run calls it, so it must be fast. With
// more files, at some 50 KiB each, a store has about a GiB.
const maxMeasured = 20_000

// Larger reports whether the runs of a store have more bytes than limit. It checks a limited number
// of files.
func Larger(store fs.FS, limit int64) bool {
	runs, _ := List(store) // storing a run has reported any error already
	files := 0
	for i := range runs {
		size, n := runs[i].size(store)
		if limit -= size; limit < 0 {
			return true
		}
		if files += n; files > maxMeasured {
			return false
		}
	}
	return false
}

// size is the number of bytes and of files of a run.
func (s *Stored) size(store fs.FS) (size int64, files int) {
	_ = fs.WalkDir(store, s.Path(), func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // its size is unknown
		}
		files++
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size, files
}

// ofRun matches the files at the top of a run directory, also those of older versions.
var ofRun = regexp.MustCompile(`^(report\.html|(result|trace|env)\.json|history\.jsonl|history(-[0-9]+-.*)?\.edn|scenario\.yaml|junit\.xml|summary\.md|[a-z]+\.log)$`)

// needed are the files of every run of this program.
var needed = []string{resultName, HistoryName, StoryName, EnvName}

// own reports whether this program made everything in a run directory: it has the name and the
// files of a run, and no others.
func (s *Stored) own(store fs.FS) bool {
	entries, err := fs.ReadDir(store, s.Path())
	if err != nil || !runName.MatchString(s.Name) || s.At.IsZero() {
		return false
	}
	for _, e := range entries {
		if e.IsDir() && (e.Name() == "plots" || e.Name() == "stores") {
			continue
		}
		if !e.Type().IsRegular() || !ofRun.MatchString(e.Name()) {
			return false
		}
	}
	for _, name := range needed {
		if _, err := fs.Stat(store, path.Join(s.Path(), name)); err != nil {
			return false
		}
	}
	return true
}

// runName matches the names of runs by Dir and Save; runPath finds runs in a page.
var (
	runName = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-seed-[0-9]+(-[0-9]+)?$`)
	runPath = regexp.MustCompile(`[^/"'\s<>&;]+/[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-seed-[0-9]+(-[0-9]+)?`)
)

// shownBy returns the paths of runs in pages at the root of a store, such as a comparison, but not
// in the index, which lists all runs.
func shownBy(store fs.FS) (map[string]bool, error) {
	pages, err := Pages(store)
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for _, page := range pages {
		if path.Dir(page) != "." {
			continue // a redrawn page contains only its own run
		}
		data, err := fs.ReadFile(store, page)
		if err != nil {
			return nil, err
		}
		for _, found := range runPath.FindAll(data, -1) {
			shown[string(found)] = true
		}
	}
	return shown, nil
}

// latest is the path of the run that root/latest links to, "" without such a link.
func latest(root string) string {
	target, err := os.Readlink(filepath.Join(root, latestName))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(target))
}

// remove removes a run directory. It renames it first, so that no reader sees half a run.
func remove(root string, s *Stored) error {
	dir := filepath.Join(root, filepath.FromSlash(s.Path()))
	at, err := draft(func() (string, error) {
		path := filepath.Join(filepath.Dir(dir), draftPrefix+"removed-"+filepath.Base(dir))
		return path, os.Rename(dir, path)
	})
	if err != nil {
		return err
	}
	return settle(at, os.RemoveAll(at), func() error {
		_ = os.Remove(filepath.Dir(dir)) // fails if it contains other runs, as it should
		return nil
	})
}
