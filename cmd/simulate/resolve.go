package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// scenarioRoot is where scenarios are looked up by name.
const scenarioRoot = "scenarios"

// loadAll reads the scenarios that the arguments name: files, directories, names
// of scenarios, or - for stdin. All problems of all files come back at once.
func loadAll(args []string, stdin io.Reader) ([]*plan.Plan, error) {
	if len(args) == 0 {
		args = []string{scenarioRoot}
	}
	var plans []*plan.Plan
	invalid := &scenario.Invalid{}
	for _, arg := range args {
		files, err := scenarioFiles(arg)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p, err := loadOne(file, stdin)
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

func loadOne(file string, stdin io.Reader) (*plan.Plan, error) {
	if file != "-" {
		return scenario.Load(file)
	}
	data, err := io.ReadAll(io.LimitReader(stdin, scenario.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the scenario from stdin: %w", err)
	}
	return scenario.Parse("stdin", data)
}

// scenarioFiles turns one argument into files.
func scenarioFiles(arg string) ([]string, error) {
	if arg == "-" {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		files := yamlFiles(arg)
		if len(files) == 0 {
			return nil, fmt.Errorf("%s holds no scenario: no .yaml file in it or below", arg)
		}
		return files, nil
	case err == nil:
		return []string{arg}, nil
	}
	all := yamlFiles(scenarioRoot)
	names := make([]string, len(all))
	for i, file := range all {
		names[i] = scenarioName(file)
		if names[i] == arg {
			return []string{file}, nil
		}
	}
	hint := fmt.Sprintf("neither a file nor a scenario below %s/; `simulate list scenarios` shows them", scenarioRoot)
	if near := scenario.Nearest(filepath.Base(strings.TrimSuffix(arg, ".yaml")), names); near != "" {
		hint = fmt.Sprintf("neither a file nor a scenario: did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s is %s", arg, hint)
}

// yamlFiles lists the scenario files below a directory, sorted.
func yamlFiles(dir string) []string {
	var files []string
	// The slash makes it follow a link; what cannot be read is not there.
	_ = filepath.WalkDir(dir+"/", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")) {
			files = append(files, path)
		}
		return nil
	})
	sort.Strings(files)
	return files
}

func scenarioName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}
