package matrix

import (
	"cmp"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Variation identifies one run of a cell: a script and the seed of its random variation; seed 0 is
// the script unchanged.
type Variation struct {
	Script int    `json:"script"`
	Seed   uint64 `json:"seed"`
}

// Sighting is a run with its letter.
type Sighting struct {
	Variation
	Letter checker.Letter `json:"letter"`
	Hash   string         `json:"hash"` // of the history
	Name   say.Phrase     `json:"-"`    // of the script

	script *Script
}

// Played returns what was played.
func (s *Sighting) Played() *plan.Plan { return s.script.played(s.Seed) }

// File returns what was played as a scenario file, which expects nothing.
func (s *Sighting) File() string {
	text := s.script.YAML
	if s.Seed > 0 {
		text = scenario.Resolved(s.script.vary(s.Seed)) + "\n"
	}
	return text + "expect: " + plan.Anything + "\n"
}

// Cell is the result of one lock under one kind of fault.
type Cell struct {
	Record // of the runs; join adds the results of the walk
	Letter checker.Letter
	// Rate of Broken and Stuck among the random variations, with its 95 % interval.
	Rate, Low, High float64
	Note            say.Phrase
	Walked          *Walked        // the walk's result; nil when it has none for the cell
	Story           *results.Shown // of the walk, when it worsens the letter; else nil

	why say.Phrase // is Why, of runs that this process has played
}

// add adds the outcome of one run.
func (c *Cell) add(s *Script, v Variation, j *checker.Judgement) {
	if v.Seed == 0 {
		c.Scripts = append(c.Scripts, *sighting(s, v, j))
	}
	if j.Letter == checker.LetterUnknown {
		c.untested(s, j.WhyUnknown())
		return
	}
	c.Runs++
	switch {
	case j.Letter == checker.LetterStuck:
		c.Stuck++
	case j.Letter.Harms():
		c.Broken++
	}
	c.Seen.Add(j.Letter)
	if v.Seed > 0 {
		c.Varied++
		if j.Letter.Harms() {
			c.Bad++
		}
	}
	if v.Seed == 0 && (c.Scripted == nil || j.Letter.Worse(c.Scripted.Letter)) {
		c.Scripted = sighting(s, v, j)
	}
	if c.Worst == nil || j.Letter.Worse(c.Worst.Letter) {
		c.Worst = sighting(s, v, j)
	}
}

// untested adds a run of a script that tested nothing.
func (c *Cell) untested(s *Script, why say.Phrase) {
	if c.Untested++; c.Why == "" {
		c.why = say.About.With(s.Name, why)
		c.Why = c.why.English()
	}
}

func sighting(s *Script, v Variation, j *checker.Judgement) *Sighting {
	return &Sighting{Variation: v, Letter: j.Letter, Name: s.Name, Hash: j.History.Hash().String(), script: s}
}

// Tried returns the names of the scripts that were played.
func (c *Cell) Tried() []say.Phrase {
	return each.Map(c.Scripts, func(s Sighting) say.Phrase { return s.Name })
}

// Damaged reports whether the resource was damaged.
func (c *Cell) Damaged() bool { return c.DamagedBy != "" }

// Also returns the other letters that were seen, worst first, unless the cell's own implies them.
func (c *Cell) Also() []checker.Letter { return c.Seen.Besides(c.Letter) }

// conclude derives the letter. Any run can show harm, but only a script that brought the fault
// about can show its absence.
func (c *Cell) conclude() {
	if c.Runs == 0 || c.Scripted == nil && !c.Worst.Letter.Harms() {
		c.Letter, c.Worst = checker.LetterUnknown, nil
		if c.why.Empty() {
			c.why = say.Verbatim(c.Why).Phrase()
		}
		c.Note = say.NoScriptTested.With(c.why)
		return
	}
	c.Letter = c.Seen.Worst()
	low, high := rate.Wilson(c.Bad, c.Varied)
	c.Rate, c.Low, c.High = rate.InOne(rate.Of(c.Bad, c.Varied)), rate.InOne(low), rate.InOne(high)
	c.Note = c.Worst.Name
	if c.Scripted == nil || c.Worst.Letter.Worse(c.Scripted.Letter) {
		c.Note = say.FoundByVariation.With(say.Seed(c.Worst.Seed), c.Worst.Name)
	}
	if c.Letter == checker.LetterSafe {
		c.Note = say.SafeSoFar.With(say.Number(c.Runs-c.Varied), say.Number(c.Varied), say.Percent(c.High))
	}
}

// Walked is the walk's result for a cell: all single faults of its kinds, in all usage profiles.
type Walked struct {
	results.Tally
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
		w.Walked = int64(len(l.Scope)) // each usage profile, as it is
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
			w.Add(s.Tally)
			for _, way := range checker.Outcomes() {
				w.show(way, s.By(way))
			}
		}
	}
	if w.Walked == 0 {
		return nil
	}
	return w
}

// show keeps the first story of a way. A client that waits for hung work counts as stuck here.
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
		if way != checker.Damage { // shown by a mark next to the letter, as a fence prevents it
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
		c.Note = say.WalkHasNoEnd.With(say.Grouped(w.Cut), say.Grouped(w.Walked))
	case before == checker.LetterSafe:
		c.Note = say.SafeInWalk.With(c.Note, say.Grouped(w.Walked))
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
