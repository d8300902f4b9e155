package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/report/explorepage"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/measurements"
)

// conclusive is an error if a named lock, or every lock, was not put to the test.
func (f *exploreFlags) conclusive(r *results.Explored) error {
	var untested []string
	for i := range r.Locks {
		if r.Locks[i].Walked == 0 {
			untested = append(untested, r.Locks[i].Lock)
		}
	}
	if len(untested) == 0 || len(f.Locks) == 0 && len(untested) < len(r.Locks) {
		return nil
	}
	warn("nothing was tested with %s: none of these faults can occur there",
		strings.Join(untested, ", "))
	return silent(exitInconclusive)
}

// noneOf explains why a lock that was just searched has no set.
func noneOf(l *results.ExploredLock, way checker.Way) say.Phrase {
	switch {
	case l.Complete == 0:
		return say.Text("unknown: not searched to the end")
	case l.Walked == 0:
		return say.Text("unknown: none of these faults can occur")
	}
	return l.WithoutSet(way)
}

func (f *exploreFlags) line(name string, what say.Part) {
	ruler, widest := say.RulerFor(f.language), 8
	for _, way := range checker.Ways() {
		widest = max(widest, ruler.Width(say.Text(way.String()).In(f.language)))
	}
	f.wrapped("  "+ruler.Pad(say.Text(name).In(f.language), widest)+" ", strings.Repeat(" ", widest+3), "", f.said(what))
}

// saidOf describes the evidence for verdicts.
func saidOf(rests []results.Rest) say.List {
	return each.Map(rests, func(r results.Rest) say.Part { return r.Says })
}

func (f *exploreFlags) printSets(l *results.ExploredLock, name string, way checker.Way) {
	sets := l.By(way)
	if len(sets) == 0 {
		f.line(name, noneOf(l, way))
	}
	for _, set := range sets {
		what := say.Text("breaks without a fault")
		if len(set.Kinds) > 0 {
			what = say.Text(strings.Join(set.Kinds, " + "))
		}
		f.line(name, what)
		name = ""
		if set.Text == "" {
			continue
		}
		schedule := say.InProfileSchedule.With(say.Verbatim(set.Profile), set.Said())
		margin := strings.Repeat(" ", 20)
		f.wrapped(margin, margin, "", f.said(schedule))
	}
}

func (f *exploreFlags) print(r *results.Explored) {
	for i := range r.Locks {
		l := &r.Locks[i]
		if i > 0 {
			fmt.Fprintln(f.stdout)
		}
		if f.Profiles != nil && len(l.Scope) == 0 {
			f.printSaid(say.UsedInNoneOfThese.With(say.Verbatim(l.Lock)))
			continue
		}
		f.printSaid(say.WalkedOf.With(say.Verbatim(l.Lock), say.Grouped(l.Walked), say.Number(l.Complete), say.Number(r.Scope.Faults)))
		for _, way := range checker.Ways() {
			f.printSets(l, way.String(), way)
		}
		if hung := l.By(checker.Hung); len(hung) > 0 {
			f.printSets(l, "  (hung)", checker.Hung)
		}
		if l.Together != nil {
			f.line("pairs", saidOf(l.Rests()))
		}
		if l.Cut > 0 {
			f.line("unknown", say.WithoutAnEnd.With(say.Grouped(l.Cut), say.Grouped(explore.MaxBackToBackRequests), say.Grouped(explore.MostEvents)))
		}
		for _, doubt := range l.Doubts {
			f.line("doubt", say.Verbatim(doubt))
		}
	}
}

// exploreElsewhere walks one share, or shows the result of merged parts.
func (f *exploreFlags) exploreElsewhere(ctx context.Context, o *explore.Options) error {
	if f.asIs || f.into != "" {
		return errors.New("a shard writes its part and nothing else: leave --as-is and --into for simulate explore --resume, after simulate dev merge --walk")
	}
	if f.shards.on != "" && f.resume != "" {
		return errors.New("--resume names a file, which the workers of a queue cannot read: leave it out, and each of them searches fewer faults itself")
	}
	kept, err := f.open()
	if err != nil {
		return err
	}
	f.Sample = o.Sample
	defer kept.Close()
	if err := f.shards.gather(ctx, f.globals, "explore", f.exploreOptions, kept, func(s campaign.Shard) error {
		mine := *o
		mine.Shard, mine.Kept = s, kept
		_, err := f.walk(ctx, mine)
		if err != nil && ctx.Err() == nil {
			err = bug(err)
		}
		return err
	}); err != nil {
		if f.shards.merged != nil { // the file of --walk
			err = f.unkept(err)
		}
		return err
	}
	all := *o
	all.AsIs, all.Kept = true, kept
	s, err := f.walk(ctx, all)
	if err != nil {
		return bug(err)
	}
	if !s.Complete(o) {
		return errors.New("the shards lack some schedules")
	}
	return f.result(nil, s, o)
}

// carried parses embedded measurements; an error is a bug.
func carried[T any](read func([]byte) (*T, error), data []byte, err error) (*T, error) {
	if err != nil {
		return nil, bug(err)
	}
	out, err := read(data)
	return out, bug(err)
}

// storedWalk is the stored result of the walk of the fault space, without the texts of its stories,
// which take time to generate.
func storedWalk() (*results.Explored, error) {
	data, err := measurements.Explore()
	return carried(results.ReadExplored, data, err)
}

// storedLibraries are the measurements of libraries with their own code, by lock.
func storedLibraries() ([]*results.Library, error) {
	return storedIn(measurements.Libraries())
}

func storedIn(files [][]byte, err error) ([]*results.Library, error) {
	if err != nil {
		return nil, bug(err)
	}
	return eachOrError(files, func(data []byte) (*results.Library, error) { return carried(results.ReadLibrary, data, nil) })
}

// explorePage writes the page of the stored walk, on which a user ticks what can happen.
func (g *globals) explorePage(ctx context.Context, l say.Language) (path string, err error) {
	walk, err := storedWalk()
	if err != nil {
		return "", err
	}
	if err := explore.AddTexts(walk); err != nil {
		return "", bug(err)
	}
	facts, err := factsOf(ctx, walk)
	if err != nil {
		return "", err
	}
	libraries, err := storedLibraries()
	if err != nil {
		return "", err
	}
	data, err := explorepage.HTML(facts, libraries, l)
	return g.savePage("which-lock.html", data, err)
}

// factsOf collects the facts for the question which lock to use.
func factsOf(ctx context.Context, x *results.Explored) (*advice.Facts, error) {
	costs, err := explore.Costs(ctx, sim.New())
	if err != nil {
		return nil, err
	}
	unchecked, err := explore.Unchecked(ctx, sim.New(), x)
	if err != nil {
		return nil, err
	}
	data, err := measurements.Matrix()
	m, err := carried(results.ReadMatrix, data, err)
	if err != nil {
		return nil, err
	}
	return &advice.Facts{Explored: x, Costs: costs, Unchecked: unchecked, Scripts: scriptsOf(m, x)}, nil
}

// scriptsOf are the harmful scripts of a matrix, by lock, each with the way in which it breaks the
// lock.
func scriptsOf(m *results.Matrix, x *results.Explored) map[string][]advice.Script {
	out := map[string][]advice.Script{}
	for i := range m.Cells {
		c := &m.Cells[i]
		column, ok := matrix.Lookup(c.Fault)
		if !ok {
			continue
		}
		s := advice.Script{Code: c.Fault, Fault: column.Name, Kinds: kindsFor(&column, c.Lock, x)}
		add := func(way checker.Way, does bool) {
			if s.Way = way; does && len(s.Kinds) > 0 {
				out[c.Lock] = append(out[c.Lock], s)
			}
		}
		letters := append([]checker.Letter{c.Letter}, c.Also...)
		add(checker.Overlap, slices.ContainsFunc(letters, checker.Letter.TwoHold))
		add(checker.NoProgress, slices.Contains(letters, checker.LetterStuck))
		s.By = matrix.Named(c.DamagedBy)
		add(checker.Damage, c.Damage)
	}
	return out
}

// kindsFor are the kinds of faults of a column that the walk has for the lock. For example, a lock
// without replicas has no promotions.
func kindsFor(c *matrix.Column, lock string, x *results.Explored) (out []string) {
	l := x.Lock(lock)
	for _, k := range c.Kinds() {
		walked := l == nil || slices.ContainsFunc(l.Singles, func(s results.Single) bool { return k.Covers(s.Kind, s.During) })
		if walked && !slices.Contains(out, k.Kind) {
			out = append(out, k.Kind)
		}
	}
	return out
}

const mostSets = 12

// searchedStory is the scenario file for a story of the stored search, by its name LOCK/SET, such
// as set-nx-lua/pause, redlock/pause+restart, setnx/pause@hold or setnx/pause.stuck. It returns nil
// without an error for any other name.
func searchedStory(name string) ([]byte, error) {
	lock, set, ok := strings.Cut(name, "/")
	if _, known := locks.Lookup(lock); !ok || !known {
		return nil, nil
	}
	x, err := storedWalk()
	if err != nil {
		return nil, err
	}
	l := x.Lock(lock)
	if l == nil {
		return nil, fmt.Errorf("%s: the stored search does not have %s: simulate explore %s --faults 2 searches it, and --into FILE adds it to a result", name, lock, lock)
	}
	shown := l.Story(set)
	if shown == nil {
		return nil, noStory(l, name, set)
	}
	data, err := explore.Scenario(&x.Scope, lock, shown)
	return data, bug(err)
}

// noStory is the error for a set without a story, which lists those that have one.
func noStory(l *results.ExploredLock, name, set string) error {
	sets := l.Sets()
	if len(sets) == 0 {
		return fmt.Errorf("%.80q: no fault of the stored search breaks %s", name, l.Lock)
	}
	if near := scenario.Nearest(set, sets); near != "" {
		return fmt.Errorf("%.80q: no story of %s has this name: did you mean %s/%s?", name, l.Lock, l.Lock, near)
	}
	more := ""
	if len(sets) > mostSets {
		more = fmt.Sprintf(" and %d more, see docs/locks/%s.md", len(sets)-mostSets, l.Lock)
		sets = sets[:mostSets]
	}
	return fmt.Errorf("%.80q: no story of %s has this name; there are %s%s", name, l.Lock, strings.Join(sets, ", "), more)
}
