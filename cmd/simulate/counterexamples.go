package main

import (
	"context"
	"fmt"

	"lockstep/internal/checker"
	"lockstep/internal/docs"
	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
)

// counterexamples plays, for each lock that the stored walk breaks, the story of the smallest set of
// faults that does, and tells what happens in it.
func counterexamples(x *measured.Explored) (map[string]docs.Example, error) {
	out := map[string]docs.Example{}
	if x == nil {
		return out, nil
	}
	w := simulator()
	defer w.Close()
	for i := range x.Locks {
		l := &x.Locks[i]
		set := smallestSet(l)
		if set == nil {
			continue
		}
		data, err := explore.Scenario(&x.Scope, l.Lock, &set.Shown)
		if err != nil {
			return nil, &bugError{err}
		}
		p, err := scenario.Parse(set.Name, data)
		if err != nil {
			return nil, err
		}
		if out[l.Lock], err = playExample(w, p, l.Lock, set); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// smallestSet is the set with the fewest faults that breaks a lock, in the first way that has one;
// nil when none does.
func smallestSet(l *measured.ExploredLock) (best *measured.CutSet) {
	for _, way := range measured.Ways() {
		for i := range l.Breaks[way] {
			if s := &l.Breaks[way][i]; s.Name != "" && (best == nil || len(s.Kinds) < len(best.Kinds)) {
				best = s
			}
		}
	}
	return best
}

// playExample plays the story of a set. One in which nothing breaks any more is an error: its page
// would say what is not so.
func playExample(w run.World, p *plan.Plan, lock string, set *measured.CutSet) (docs.Example, error) {
	out := run.One(context.Background(), w, p, lock, max(p.Seed, 1))
	if out.Err != nil {
		return docs.Example{}, &bugError{fmt.Errorf("%s with %s: %w", p.File, lock, out.Err)}
	}
	j := &out.Judgement
	property := brokenIn(p, lock)
	if f := j.Finding(property); f.Verdict != checker.Broken {
		return docs.Example{}, fmt.Errorf("%s: %s does not break %q any more; walk it again: simulate explore %s --faults 2 --further --into measurements/explore.json.gz", p.File, lock, property, lock)
	}
	return docs.ExampleOf(set, j), nil
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
