package main

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
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
func filesBelow(dir string) ([]string, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return builtInBelow(dir), nil
	}
	files, err := walk(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	return files, nil
}

// yamlFiles lists the scenario files below a directory on disk as far as it can be
// read, sorted.
func yamlFiles(dir string) []string {
	files, _ := walk(dir)
	return files
}

// walk finds the scenario files below a directory on disk, sorted. It goes on
// after an error, and returns the first one.
func walk(dir string) (files []string, first error) {
	// The slash makes it follow a link.
	_ = filepath.WalkDir(dir+"/", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && first == nil:
			first = err
		case err == nil && !d.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")):
			files = append(files, path)
		}
		return nil
	})
	sort.Strings(files)
	return files, first
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

// readBuiltIn returns the bytes of a scenario file that is not on disk but in
// the program.
func readBuiltIn(file string) ([]byte, bool) {
	name, ok := insideProgram(file)
	if !ok {
		return nil, false
	}
	data, err := scenarios.Files.ReadFile(name)
	return data, err == nil
}

// insideProgram turns a path below scenarioRoot into one of the embedded files.
func insideProgram(file string) (string, bool) {
	rel, err := filepath.Rel(scenarioRoot, filepath.Clean(file))
	rel = filepath.ToSlash(rel)
	return rel, err == nil && fs.ValidPath(rel)
}

// loadFile reads a scenario file from disk, or else from the program.
func loadFile(file string) (*plan.Plan, error) {
	p, err := scenario.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		if data, ok := readBuiltIn(file); ok {
			return scenario.Parse(file, data)
		}
	}
	return p, err
}

func scenarioName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
