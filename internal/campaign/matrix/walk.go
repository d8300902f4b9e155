package matrix

import (
	"cmp"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/say"
)

// Walked is the result of the walk of the fault space for one cell: all single faults of the
// column's kinds, in all usage profiles.
type Walked struct {
	Schedules int64
	Vain      int64 // of these, those whose fault had no effect
	Cut       int64 // those whose runs had no end: unknown

	shown map[checker.Way]*results.Shown // the first story of each way that was found
}

// Damages reports whether some single fault damaged the resource; not so where nothing was walked.
func (w *Walked) Damages() bool { return w != nil && w.shown[checker.Damage] != nil }

// walkedIn returns what was walked of a lock and a column; nil for nothing.
func walkedIn(x *results.Explored, lock string, c *Column) *Walked {
	if x == nil {
		return nil
	}
	l := x.Lock(lock)
	if l == nil || l.Complete == 0 {
		return nil
	}
	w := &Walked{shown: map[checker.Way]*results.Shown{}}
	if c.Code == noFaultCode {
		w.Schedules = int64(len(l.Scope)) // each usage profile, as it is
		for _, way := range checker.Outcomes() {
			for i, set := range l.By(way) {
				if len(set.Kinds) == 0 {
					w.show(way, &l.By(way)[i].Shown)
				}
			}
		}
		return w
	}
	for _, kind := range c.Kinds() {
		for i := range l.Singles {
			s := &l.Singles[i]
			if !kind.Covers(s.Kind, s.During) {
				continue
			}
			w.Schedules, w.Vain, w.Cut = w.Schedules+s.Walked, w.Vain+s.NoEffect, w.Cut+s.Cut
			for _, way := range checker.Outcomes() {
				w.show(way, s.By(way))
			}
		}
	}
	if w.Schedules == 0 {
		return nil
	}
	return w
}

// show keeps the first story of a way; nil is none. A client that waits for hung work counts as
// stuck here, though the lock is not to blame.
func (w *Walked) show(way checker.Way, s *results.Shown) {
	if way = min(way, checker.NoProgress); s != nil && w.shown[way] == nil {
		w.shown[way] = s
	}
}

// join adds the results of the walk to a concluded cell. A walk breaks locks but ignores delays, so
// S and L come from the scripts; but where runs were cut short, there may be something worse.
func (c *Cell) join() {
	w := c.Walked
	if w == nil {
		return
	}
	before := c.Letter
	for way := range w.shown { // order: each has its own letter
		if way != checker.Damage { // shown by a mark beside the letter, as a fence prevents it
			c.Seen.Add(way.Letter())
		}
	}
	if s := w.shown[checker.Damage]; s != nil && !c.Damaged() {
		c.DamagedBy = cmp.Or(s.Name, s.Text) // without a name no simulator plays it
	}
	if worst := c.Seen.Worst(); worst.Worse(before) && worst.Harms() {
		c.Letter = worst
		c.Story = w.worst(before)
		c.Note = say.FoundByWalk.With(say.Verbatim(c.Story.Profile), c.Story.Said())
		return
	}
	switch {
	case w.Cut > 0 && !before.Harms():
		c.Letter = checker.LetterUnknown
		c.Note = say.WalkHasNoEnd.With(say.Grouped(w.Cut), say.Grouped(w.Schedules))
	case before == checker.LetterSafe:
		c.Note = say.SafeInWalk.With(c.Note, say.Grouped(w.Schedules))
	}
}

// worst is the story of the worst way that a letter does not show.
func (w *Walked) worst(known checker.Letter) *results.Shown {
	for _, way := range checker.Ways() {
		if s := w.shown[way]; s != nil && way.Letter() != "" && way.Letter() != known {
			return s
		}
	}
	return nil
}
