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
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/interrupt"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/runstore"
	"lockstep/internal/scenario"
	"lockstep/locktest/stories"
	"lockstep/scenarios"
)

// The program embeds the scenarios of its repository, so that their names and paths work anywhere.
// Files on disk take precedence: in the repository, an edited lesson is played.

// scenarioRoot is the folder in which scenarios are looked up by name.
const scenarioRoot = "scenarios"

// library returns the files of all scenarios that have a name, sorted: those below scenarioRoot,
// and the embedded ones whose names are not taken.
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
	slices.Sort(files)
	return files
}

// filesBelow returns the scenario files below a directory, on disk or else embedded. It is an error
// if some cannot be read.
func filesBelow(ctx context.Context, dir, store string) ([]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return builtInBelow(dir), nil
	}
	w := &finder{left: maxEntries}
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
		return nil, runstore.Unread(w.err)
	}
	slices.Sort(w.files)
	return w.files, nil
}

// yamlFiles returns the scenario files below a directory on disk, as far as it can be read, sorted.
func yamlFiles(dir string) []string {
	w := &finder{left: maxEntries}
	w.below(context.Background(), dir)
	slices.Sort(w.files)
	return w.files
}

// maxEntries bounds the search for scenarios: several times the entries of this repository, but not
// a whole disk, which would take minutes.
const maxEntries = 10_000

// finder finds the scenario files below a directory on disk, except in run directories, drafts of
// them, and the run store.
type finder struct {
	files []string
	left  int         // how many more entries are allowed; negative if there were more
	seen  []string    // the visited folders, with links resolved
	store os.FileInfo // of the run store; nil if there is none
	err   error       // the first one; the search goes on
}

func (w *finder) below(ctx context.Context, dir string) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && slices.Contains(w.seen, real) { // a cycle of links
		return
	}
	w.seen = append(w.seen, real)
	entries, err := os.ReadDir(dir)
	w.left -= len(entries)
	if err != nil && w.err == nil {
		w.err = err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case ctx.Err() != nil || w.left < 0:
			return
		case isFolder(path, e):
			if !runstore.IsDraft(e.Name()) && !runstore.IsRun(path) && !w.isStore(path) {
				w.below(ctx, path)
			}
		case isYAML(path):
			w.files = append(w.files, path)
		}
	}
}

// isFolder reports whether an entry is a directory, or a link to one.
func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isYAML reports whether a file has the extension of a scenario, in any case.
func isYAML(path string) bool {
	end := filepath.Ext(path)
	return strings.EqualFold(end, ".yaml") || strings.EqualFold(end, ".yml")
}

func (w *finder) isStore(path string) bool {
	info, err := os.Stat(path)
	return err == nil && w.store != nil && os.SameFile(info, w.store)
}

// builtInBelow returns the embedded scenarios below a directory such as scenarios/lessons, sorted;
// nil if there is no such directory.
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

// readBuiltIn returns an embedded scenario: a file of the library, a story for users' own locks, or
// one of the stored search.
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

// readSource returns the beginning of a scenario file, on disk or else embedded, up to so many
// bytes.
func readSource(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if data, ok := readBuiltIn(file); ok && errors.Is(err, fs.ErrNotExist) {
		return data[:min(int64(len(data)), most)], nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// insideProgram turns a path below scenarioRoot into that of an embedded file.
func insideProgram(file string) (string, bool) {
	rel, err := filepath.Rel(scenarioRoot, filepath.Clean(file))
	rel = filepath.ToSlash(rel)
	return rel, err == nil && fs.ValidPath(rel)
}

// loadFile reads a scenario file from disk, or else an embedded one.
func loadFile(ctx context.Context, file string, changes ...scenario.Change) (*plan.Plan, error) {
	p, err := interrupt.Unless(ctx, "reading "+file, func() (*plan.Plan, error) { return scenario.Load(file, changes...) })
	if errors.Is(err, fs.ErrNotExist) {
		data, ok := readBuiltIn(file)
		if !ok {
			return nil, err
		}
		if p, err = scenario.Parse(file, data, changes...); err == nil && !isYAML(file) {
			p.Slug = scenario.Slug(file) // includes the lock
		}
	}
	return p, err
}

func scenarioName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// loadAll reads the scenarios that the arguments name: files, directories, names of scenarios, or -
// for stdin. It returns the problems of all files at once.
func (g *globals) loadAll(ctx context.Context, args []string, stdin io.Reader) ([]*plan.Plan, error) {
	if len(args) == 0 {
		args = []string{scenarioRoot}
	}
	changes, err := g.changes()
	if err != nil {
		return nil, err
	}
	var plans []*plan.Plan
	invalid := &scenario.Invalid{}
	for _, arg := range args {
		files, err := g.scenarioFiles(ctx, arg)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p, err := loadOne(ctx, file, stdin, changes)
			var bad *scenario.Invalid
			switch {
			case errors.As(err, &bad):
				invalid.Merge(bad)
			case err != nil:
				return nil, err
			default:
				plans = append(plans, p)
			}
		}
	}
	if len(invalid.Problems) > 0 {
		return nil, invalid
	}
	return plans, nil
}

func loadOne(ctx context.Context, file string, stdin io.Reader, changes []scenario.Change) (*plan.Plan, error) {
	if file != "-" {
		return loadFile(ctx, file, changes...)
	}
	data, err := interrupt.Unless(ctx, "reading stdin", func() ([]byte, error) {
		return io.ReadAll(io.LimitReader(stdin, scenario.MaxBytes+1))
	})
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the scenario from stdin: %w", err)
	}
	return scenario.Parse("stdin", data, changes...)
}

// scenarioFiles returns the files that an argument names.
func (g *globals) scenarioFiles(ctx context.Context, arg string) ([]string, error) {
	if arg == "-" {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	if err == nil && !info.IsDir() {
		return []string{arg}, nil
	}
	files, unread := filesBelow(ctx, arg, g.out)
	switch {
	case unread != nil:
		return nil, unread
	case len(files) > 0:
		return files, nil
	case err == nil:
		return nil, fmt.Errorf("%s holds no scenario: no .yaml file in it or below, apart from those of stored runs", arg)
	case errors.Is(err, fs.ErrPermission):
		return nil, runstore.Unread(err)
	}
	if _, ok := readBuiltIn(arg); ok {
		return []string{arg}, nil
	}
	if _, err := searchedStory(arg); err != nil {
		return nil, err
	}
	return scenarioByName(arg)
}

// scenarioByName finds a scenario by the name of its file.
func scenarioByName(name string) ([]string, error) {
	var names []string
	for _, file := range library() {
		if scenarioName(file) == name {
			return []string{file}, nil
		}
		names = append(names, scenarioName(file))
	}
	hint := "neither a file nor the name of a scenario; `simulate list scenarios` shows them"
	if _, ok := locks.Lookup(name); ok {
		hint = "a lock and no scenario: play a story with it, as in simulate run pause-past-lease --lock " + name
	} else if near := scenario.Nearest(filepath.Base(strings.TrimSuffix(name, ".yaml")), names); near != "" {
		hint = fmt.Sprintf("neither a file nor a scenario: did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s is %s", name, hint)
}

// settable adds the flag --set to a command that reads scenarios.
func settable(cmd *cobra.Command, g *globals) *cobra.Command {
	cmd.Flags().StringArrayVar(&g.sets, "set", nil, "change a value of the scenario: lease=30s, workload.work=5s..20s, faults.1.for=3s; several times for several")
	return cmd
}

func (g *globals) changes() ([]scenario.Change, error) {
	return eachOrError(g.sets, scenario.ParseChange)
}
