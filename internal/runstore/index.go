package runstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"lockstep/internal/report/indexpage"
	"lockstep/internal/say"
)

// WriteIndex rewrites index.html, the list of all runs, unless the store does not exist. Other
// processes may store runs meanwhile; the last one to write the index sees all runs. An error other
// than a DiskError is about drawing the page.
func WriteIndex(root string, l say.Language) error {
	store, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &DiskError{err}
	}
	defer store.Close()
	return drawIndex(root, store, l, func() ([]Stored, error) { return List(store.FS()) })
}

// drawIndex writes the index until it contains all runs that list returns.
func drawIndex(root string, store *os.Root, l say.Language, list func() ([]Stored, error)) error {
	for range indexTries {
		if !ownIndex(store) {
			return nil
		}
		runs, err := list()
		if err != nil {
			return &DiskError{err}
		}
		page, err := indexOf(store.FS(), runs, nil, l)
		if err != nil {
			return err
		}
		if err := WriteWhole(filepath.Join(root, indexName), &File{Data: page}); err != nil {
			return Unwritten(fmt.Errorf("cannot write the index of the runs: %w", err), "its folder", anotherPlace)
		}
		if now, err := list(); err != nil || slices.Equal(now, runs) {
			return nil
		}
	}
	return nil // the next run rewrites it
}

// indexTries limits how often the index is written while others store runs.
const indexTries = 100

// ownIndex reports whether the index may be written: it does not exist, or this program wrote it. A
// user's own page of that name and a link are left alone.
func ownIndex(store *os.Root) bool {
	info, err := store.Lstat(indexName)
	if err != nil || !info.Mode().IsRegular() {
		return errors.Is(err, fs.ErrNotExist)
	}
	f, err := store.Open(indexName)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && bytes.Contains(head, []byte(indexpage.Mark))
}

// Index draws the list of all runs for a server; served are its pages outside the store.
func Index(store fs.FS, served []string, l say.Language) ([]byte, error) {
	runs, err := List(store)
	if err != nil {
		return nil, &DiskError{err}
	}
	return indexOf(store, runs, served, l)
}

// indexOf draws the index of a store; served is nil for a file.
func indexOf(store fs.FS, runs []Stored, served []string, l say.Language) ([]byte, error) {
	pages, err := Pages(store)
	if err != nil {
		return nil, &DiskError{err}
	}
	x := &indexpage.Index{Language: l, Total: len(runs), Pages: append(pages, served...), Served: served != nil}
	for i := range runs[:min(len(runs), indexpage.MaxRuns)] {
		x.Runs = append(x.Runs, indexRun(store, &runs[i]))
	}
	return indexpage.HTML(x)
}

// indexRun is one line of the index, also for a run whose result cannot be read.
func indexRun(store fs.FS, s *Stored) indexpage.Run {
	out := indexpage.Run{Path: s.Path(), At: s.At}
	if result, err := ReadResult(store, s.Path()); err == nil {
		out.RunResult = *result
	} else {
		out.Problem = err.Error()
	}
	out.Scenario = s.Scenario
	return out
}
