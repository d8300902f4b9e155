package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/docs"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/search"
)

// The smallest counterexamples are kept as scenario files, one for each lock that
// breaks in some story. To shrink them takes minutes, so that is done when somebody
// asks for it; to play them takes milliseconds, so every page shows a fresh run.
const counterexamples = "counterexamples" // in docsDir

// shrinkExamples shrinks the smallest story of each lock that breaks in one, and
// stores the result.
func (g *globals) shrinkExamples(ctx context.Context, root string) error {
	plans, err := repositoryPlans(root)
	if err != nil {
		return err
	}
	all := locks.Simulated()
	bar := g.bar("counterexamples", len(all))
	for i, v := range all {
		if p := docs.Smallest(plans, v.ID); p != nil {
			if err := shrinkExample(ctx, root, p, v.ID); err != nil {
				return err
			}
		}
		_ = bar.Set(i + 1)
	}
	return bar.Finish()
}

func shrinkExample(ctx context.Context, root string, p *plan.Plan, lock string) error {
	property := brokenIn(p, lock)
	found, err := search.Smallest(ctx, simulator, p, lock, property, max(p.Seed, 1))
	if err == nil {
		err = ctx.Err() // what has not been shrunk to its end is not the smallest
	}
	if err != nil {
		return fmt.Errorf("%s with %s: %w", p.File, lock, err)
	}
	path := filepath.Join(root, docsDir, counterexamples, lock+".yaml")
	if err := writeWhole(path, []byte(found.YAML)); err != nil {
		return &environmentError{fmt.Errorf("cannot store a counterexample: %w", err)}
	}
	return nil
}

// brokenIn is the property that a story breaks with a lock, mutual exclusion first.
func brokenIn(p *plan.Plan, lock string) string {
	property := ""
	said, _ := p.Said(lock)
	for _, e := range said {
		if e.Verdict == string(checker.Broken) && (property == "" || e.Property == checker.MutualExclusionID) {
			property = e.Property
		}
	}
	return property
}

// storedExamples plays the stored counterexamples and tells what happens in them.
func storedExamples(root string) (map[string]docs.Example, error) {
	dir := filepath.Join(root, docsDir, counterexamples)
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	out := map[string]docs.Example{}
	w := simulator()
	defer w.Close()
	for _, f := range files {
		lock, ok := strings.CutSuffix(f.Name(), ".yaml")
		if !ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, unreadable(err)
		}
		if out[lock], err = playExample(w, docsDir+"/"+counterexamples+"/"+f.Name(), string(data), lock); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// playExample plays a counterexample. One in which nothing breaks any more is an
// error: its page would say what is not so.
func playExample(w run.World, file, yaml, lock string) (docs.Example, error) {
	p, err := scenario.Parse(file, []byte(yaml))
	if err != nil {
		return docs.Example{}, err
	}
	out := run.One(context.Background(), w, p, lock, max(p.Seed, 1))
	if out.Err != nil {
		return docs.Example{}, &bugError{fmt.Errorf("%s with %s: %w", file, lock, out.Err)}
	}
	j := &out.Judgement
	if f := j.Finding(brokenIn(p, lock)); f.Verdict != checker.Broken {
		return docs.Example{}, fmt.Errorf("%s: %s does not break %q any more; shrink it anew: simulate docs --shrink", file, lock, brokenIn(p, lock))
	}
	return docs.ExampleOf(file, yaml, j), nil
}
