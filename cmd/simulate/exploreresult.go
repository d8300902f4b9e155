package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/say"
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
	warn("nothing was put to the test with %s: none of these faults can come about there",
		strings.Join(untested, ", "))
	return &silentExit{code: exitInconclusive}
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
	return each(rests, func(r results.Rest) say.Part { return r.Says })
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
		return errors.New("--resume names a file, which the workers of a queue do not see: leave it out, and let each of them search fewer faults itself")
	}
	kept, err := f.open()
	if err != nil {
		return err
	}
	f.Sample = o.Sample
	shards, err := divided(ctx, &f.shards, f.globals, "explore", f.exploreOptions, func(s campaign.Shard) ([]*campaign.Line, error) {
		mine := *o
		mine.Shard, mine.Kept = s, kept
		if _, err := f.walk(ctx, mine); err != nil {
			if ctx.Err() == nil {
				err = &bugError{err}
			}
			return nil, err
		}
		return kept.Lines(), nil
	})
	if err != nil {
		return err
	}
	defer kept.Close()
	for _, pieces := range shards {
		for _, one := range pieces {
			if err := kept.Add(one); err != nil {
				return f.unkept(err)
			}
		}
	}
	all := *o
	all.AsIs, all.Kept = true, kept
	s, err := f.walk(ctx, all)
	if err != nil {
		return bug(err)
	}
	if !s.Complete(o) {
		return errors.New("the shards leave out some schedules")
	}
	return f.result(nil, s, o)
}

// progressLine is a line on stderr that shows progress. On a terminal it is rewritten in place;
// elsewhere a new line is printed from time to time.
type progressLine struct {
	quiet, tty  bool // tty: stderr is a terminal
	began, told time.Time
}

func newProgressLine(quiet bool) progressLine {
	return progressLine{quiet: quiet, tty: term.IsTerminal(int(os.Stderr.Fd())), began: time.Now()}
}

// due reports whether to print the line now. The end is always due.
func (p *progressLine) due(now time.Time, end bool) bool {
	every := 30 * time.Second
	if p.tty {
		every = 200 * time.Millisecond
	}
	if p.quiet || now.Sub(p.told) < every && !end {
		return false
	}
	first := p.told.IsZero()
	p.told = now
	return !first || p.tty || end
}

func (p *progressLine) print(line string) {
	if p.tty {
		fmt.Fprint(os.Stderr, "\r\x1b[K"+line)
		return
	}
	fmt.Fprintln(os.Stderr, line)
}

func (p *progressLine) clear() {
	if p.tty && !p.told.IsZero() {
		p.print("")
	}
}

type walkProgress struct {
	progressLine
	locks int
	seen  map[string]bool
	part  struct { // the current stage of the lock
		name string
		at   time.Time // when its first piece was done
		done int       // pieces by then
	}
}

func (w *walkProgress) tell(p explore.Progress) {
	w.seen[p.Lock] = true
	now := time.Now()
	if !w.due(now, false) {
		return
	}
	rate := float64(p.Played) / max(now.Sub(w.began).Seconds(), 0.001)
	w.print(fmt.Sprintf("%s (%d of %d), %d faults, %s: %d of %d; %d schedules, %.0f per second%s", p.Lock, len(w.seen), w.locks, p.Faults,
		p.Profile, p.Done, p.Units, p.Walked, rate, w.left(p, now)))
}

// left estimates the end of this stage of the lock.
func (w *walkProgress) left(p explore.Progress, now time.Time) string {
	key := fmt.Sprint(p.Lock, p.Profile, p.Faults)
	if w.part.name != key {
		w.part.name, w.part.at, w.part.done = key, now, p.Done
		return ""
	}
	if p.Done <= w.part.done {
		return ""
	}
	left := now.Sub(w.part.at) * time.Duration(p.Units-p.Done) / time.Duration(p.Done-w.part.done)
	return ", this part ends in " + left.Round(time.Second).String()
}
