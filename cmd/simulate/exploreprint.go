package main

import (
	"fmt"
	"os"
	"strings"

	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/say"
)

// conclusive says which locks nothing was put to the test with: one that is named, or all.
func (f *exploreFlags) conclusive(r *measured.Explored) error {
	var untested []string
	for i := range r.Locks {
		if r.Locks[i].Walked == 0 {
			untested = append(untested, r.Locks[i].Lock)
		}
	}
	if len(untested) == 0 || !f.named && len(untested) < len(r.Locks) {
		return nil
	}
	fmt.Fprintf(os.Stderr, "simulate: nothing was put to the test with %s: none of these faults can come about there\n", strings.Join(untested, ", "))
	return &silentExit{code: exitInconclusive}
}

// noneOf is what it means that a lock has no set: only what was walked to its end, and of
// which everything is known, says that there is none.
func noneOf(l *measured.ExploredLock) say.Phrase {
	switch {
	case l.Complete == 0:
		return say.NotWalkedToTheEnd.With()
	case l.Walked == 0:
		return say.NothingToWalk.With()
	case l.Cut > 0 || len(l.Doubts) > 0:
		return say.NoneKnown.With()
	case l.Searched == measured.Sampled:
		return say.Text("none found")
	}
	return say.NoneUpTo.With(say.Number(l.Complete))
}

// line shows something under a name; "" for no name.
func (f *exploreFlags) line(name string, what say.Part) {
	ruler, widest := say.RulerFor(f.language), 8
	for _, way := range explore.Ways() {
		widest = max(widest, ruler.Width(say.Text(way.String()).In(f.language)))
	}
	for _, line := range ruler.Wrap(f.said(what), f.width()-widest-3) {
		fmt.Fprintf(f.stdout, "  %s %s\n", ruler.Pad(say.Text(name).In(f.language), widest), line)
		name = ""
	}
}

// printSets shows the sets of one way of breaking.
func (f *exploreFlags) printSets(l *measured.ExploredLock, name string, sets []measured.CutSet) {
	if len(sets) == 0 {
		f.line(name, noneOf(l))
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
		schedule := say.InWorldSchedule.With(say.Verbatim(set.World), say.Both{English: set.Text, Chinese: set.TextChinese})
		for _, line := range say.RulerFor(f.language).Wrap(f.said(schedule), f.width()-13) {
			fmt.Fprintf(f.stdout, "             %s\n", line)
		}
	}
}

// print shows the sets of each lock.
func (f *exploreFlags) print(r *measured.Explored) {
	for i := range r.Locks {
		l := &r.Locks[i]
		if i > 0 {
			fmt.Fprintln(f.stdout)
		}
		if f.worlds != nil && len(l.Scope) == 0 {
			fmt.Fprintln(f.stdout, f.said(say.UsedInNoneOfThese.With(say.Verbatim(l.Lock))))
			continue
		}
		fmt.Fprintln(f.stdout, f.said(say.WalkedOf.With(say.Verbatim(l.Lock), say.Grouped(l.Walked), say.Number(l.Complete), say.Number(r.Scope.Faults))))
		for _, way := range explore.Ways() {
			f.printSets(l, way.String(), l.Breaks[way.String()])
		}
		if hung := l.Breaks[measured.Hung]; len(hung) > 0 {
			f.printSets(l, "  (hung)", hung)
		}
		if l.Together != nil {
			var rests say.List
			for _, r := range l.Rests() {
				rests = append(rests, r.Says)
			}
			f.line("pairs", rests)
		}
		if l.Cut > 0 {
			f.line("unknown", say.WithoutAnEnd.With(say.Grouped(l.Cut), say.Grouped(explore.MostRestless), say.Grouped(explore.MostEvents)))
		}
		for _, doubt := range l.Doubts {
			f.line("doubt", say.Verbatim(doubt))
		}
	}
}
