package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/report/indexpage"
	"lockstep/internal/rundir"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

// writeIndex writes index.html, the list of all runs, anew. A store that is not
// there has none, and a run directory is no store. Other processes may store runs
// meanwhile: the last one to write has seen them all.
func writeIndex(root string, l say.Language) error {
	store, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &environmentError{err}
	}
	defer store.Close()
	if rundir.Is(root) {
		return fmt.Errorf("%s is a stored run, not a run store: name the store with --out", root)
	}
	return drawIndex(root, store, l, func() ([]runstore.Stored, error) { return runstore.List(store.FS()) })
}

// drawIndex writes the index until it has all runs that list returns.
func drawIndex(root string, store *os.Root, l say.Language, list func() ([]runstore.Stored, error)) error {
	for range indexTries {
		if !ownIndex(store) {
			return nil
		}
		runs, err := list()
		if err != nil {
			return &environmentError{err}
		}
		page, err := indexOf(store.FS(), runs, nil, l)
		if err != nil {
			return err
		}
		if err := writeWhole(filepath.Join(root, "index.html"), page); err != nil {
			return unwritable(fmt.Errorf("cannot write the index of the runs: %w", err), "--out")
		}
		if now, err := list(); err != nil || slices.Equal(now, runs) {
			return nil
		}
	}
	return nil // the next run writes it again
}

// indexTries bounds how often the index is written when others go on storing runs.
const indexTries = 100

// ownIndex reports whether an index may be written: there is none, or it is one of
// ours. Somebody's own page of that name is left alone, and so is a link, wherever it
// leads.
func ownIndex(store *os.Root) bool {
	info, err := store.Lstat("index.html")
	if err != nil || !info.Mode().IsRegular() {
		return errors.Is(err, fs.ErrNotExist)
	}
	f, err := store.Open("index.html")
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && bytes.Contains(head, []byte(indexpage.Mark))
}

// indexOf draws the index of a store. served is nil for a file; a server names what it has besides
// the store.
func indexOf(store fs.FS, runs []runstore.Stored, served []string, l say.Language) ([]byte, error) {
	pages, err := runstore.Pages(store)
	if err != nil {
		return nil, &environmentError{err}
	}
	x := &indexpage.Index{Language: l, Total: len(runs), Pages: append(pages, served...), Served: served != nil}
	for i := range runs[:min(len(runs), indexpage.MaxRuns)] {
		x.Runs = append(x.Runs, indexRun(store, &runs[i]))
	}
	page, err := indexpage.HTML(x)
	if err != nil {
		return nil, &bugError{err}
	}
	return page, nil
}

// indexRun is one line of the index; a result that cannot be read is one as well.
func indexRun(store fs.FS, s *runstore.Stored) indexpage.Run {
	out := indexpage.Run{Path: s.Path(), At: s.At, Scenario: s.Scenario}
	summary, err := runstore.ReadSummary(store, s.Path())
	if err != nil {
		out.Problem = err.Error()
		return out
	}
	out.Seed, out.Backend, out.Met = summary.Seed, summary.Backend, summary.Met
	for _, l := range summary.Locks {
		lock := indexpage.Lock{Lock: l.Lock, Impact: checker.Impact(l.Impact), Verdicts: map[string]checker.Verdict{}}
		for property, v := range l.Verdicts { // order: report sorts
			lock.Verdicts[property] = checker.Verdict(v.Verdict)
		}
		out.Locks = append(out.Locks, lock)
	}
	return out
}
