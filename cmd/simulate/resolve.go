package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/interrupt"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// loadAll reads the scenarios that the arguments name: files, directories, names
// of scenarios, or - for stdin. All problems of all files come back at once.
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

// scenarioFiles turns one argument into files.
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
		return nil, fmt.Errorf("%s holds no scenario: no .yaml file in it or below, those of stored runs left aside", arg)
	case errors.Is(err, fs.ErrPermission):
		return nil, unreadable(err)
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
	if near := scenario.Nearest(filepath.Base(strings.TrimSuffix(name, ".yaml")), names); near != "" {
		hint = fmt.Sprintf("neither a file nor a scenario: did you mean %q?", near)
	}
	return nil, fmt.Errorf("%s is %s", name, hint)
}
