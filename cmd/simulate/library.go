package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"lockstep/internal/interrupt"
	"lockstep/internal/plan"
	"lockstep/internal/rundir"
	"lockstep/internal/runstore"
	"lockstep/internal/scenario"
	"lockstep/locktest/stories"
	"lockstep/scenarios"
)

// The program carries the scenarios of its repository, so that their names and
// paths mean something wherever it is called. What is on disk comes first: in the
// repository, an edited lesson is the one that is played.

// scenarioRoot is where scenarios are looked up by name.
const scenarioRoot = "scenarios"

// library are the files of all scenarios that have a name here, sorted: those
// below scenarioRoot, and those in the program whose names are not taken.
func library() []string {
	files := yamlFiles(scenarioRoot)
	taken := map[string]bool{}
	for _, file := range files {
		taken[scenarioName(file)] = true
	}
	for _, file := range builtInBelow(scenarioRoot) {
		if !taken[scenarioName(file)] {
			files = append(files, file)
		}
	}
	sort.Strings(files)
	return files
}

// filesBelow are the scenario files below a directory, on disk or else in the
// program. Part of them is not enough: what cannot be read is an error.
func filesBelow(ctx context.Context, dir, store string) ([]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return builtInBelow(dir), nil
	}
	w := &walk{left: maxEntries}
	if info, err := os.Stat(store); err == nil {
		w.store = info
	}
	_, err := interrupt.Unless(ctx, "looking for scenarios in "+dir, func() (struct{}, error) {
		w.below(ctx, dir)
		return struct{}{}, ctx.Err()
	})
	switch {
	case err != nil:
		return nil, err
	case w.left < 0:
		return nil, fmt.Errorf("%s holds more than %d files and folders, too many to look for scenarios in: name a smaller folder", dir, maxEntries)
	case w.err != nil:
		return nil, unreadable(w.err)
	}
	sort.Strings(w.files)
	return w.files, nil
}

// yamlFiles lists the scenario files below a directory on disk as far as it can be
// read, sorted.
func yamlFiles(dir string) []string {
	w := &walk{left: maxEntries}
	w.below(context.Background(), dir)
	sort.Strings(w.files)
	return w.files
}

// maxEntries is how many files and folders are looked at for scenarios: several times what
// a checkout of this repository has. A disk has a million, and would be read for minutes.
const maxEntries = 10_000

// walk finds the scenario files below a directory on disk. It leaves out what runs have
// stored: run directories, drafts of them, and the run store, where searches keep theirs.
type walk struct {
	files []string
	left  int         // how many entries may still come; less than 0: there were more
	seen  []string    // the folders that were walked, without links
	store os.FileInfo // of the run store; nil when there is none
	err   error       // the first one; what can be read is found all the same
}

func (w *walk) below(ctx context.Context, dir string) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && slices.Contains(w.seen, real) { // links may lead in a circle
		return
	}
	w.seen = append(w.seen, real)
	entries, err := w.list(dir)
	if err != nil && w.err == nil {
		w.err = err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case ctx.Err() != nil || w.left < 0:
			return
		case isFolder(path, e):
			if !runstore.IsDraft(e.Name()) && !rundir.Is(path) && !w.isStore(path) {
				w.below(ctx, path)
			}
		case isYAML(path):
			w.files = append(w.files, path)
		}
	}
}

// list returns the entries of a directory, and one too many at most: there are
// directories that do not fit into memory.
func (w *walk) list(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(w.left + 1)
	w.left -= len(entries)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// isFolder reports whether an entry is a directory, or a link to one.
func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isYAML reports whether a file has the name of a scenario: some systems write their endings in capitals.
func isYAML(path string) bool {
	end := filepath.Ext(path)
	return strings.EqualFold(end, ".yaml") || strings.EqualFold(end, ".yml")
}

func (w *walk) isStore(path string) bool {
	info, err := os.Stat(path)
	return err == nil && w.store != nil && os.SameFile(info, w.store)
}

// builtInBelow lists the scenarios in the program below a directory such as
// scenarios/lessons, sorted; nil when there is no such directory in it.
func builtInBelow(dir string) []string {
	var files []string
	at, ok := insideProgram(dir)
	if !ok {
		return nil
	}
	_ = fs.WalkDir(scenarios.Files, at, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path.Join(scenarioRoot, name))
		}
		return nil
	})
	slices.Sort(files)
	return files
}

// readBuiltIn returns the bytes of a scenario that is not on disk but in the program: a file
// of the library, a story for locks of one's own, or one of the stored search.
func readBuiltIn(file string) ([]byte, bool) {
	if name, ok := insideProgram(file); ok {
		if data, err := scenarios.Files.ReadFile(name); err == nil {
			return data, true
		}
	}
	if data, ok := stories.Read(file); ok {
		return data, true
	}
	data, err := searchedStory(file)
	return data, data != nil && err == nil
}

// insideProgram turns a path below scenarioRoot into one of the embedded files.
func insideProgram(file string) (string, bool) {
	rel, err := filepath.Rel(scenarioRoot, filepath.Clean(file))
	rel = filepath.ToSlash(rel)
	return rel, err == nil && fs.ValidPath(rel)
}

// loadFile reads a scenario file from disk, or else from the program.
func loadFile(ctx context.Context, file string, changes ...scenario.Change) (*plan.Plan, error) {
	p, err := interrupt.Unless(ctx, "reading "+file, func() (*plan.Plan, error) { return scenario.Load(file, changes...) })
	if errors.Is(err, fs.ErrNotExist) {
		data, ok := readBuiltIn(file)
		if !ok {
			return nil, err
		}
		if p, err = scenario.Parse(file, data, changes...); err == nil && !isYAML(file) {
			p.Slug = scenario.Slug(file) // the lock is a part of the name
		}
	}
	return p, err
}

func scenarioName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
