package matrix

import (
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// Variation names one run of a cell: which script, and which random variation of
// it; seed 0 is the script as it stands.
type Variation struct {
	Script int    `json:"script"`
	Seed   uint64 `json:"seed"`
}

// Sighting is a run in which something was seen.
type Sighting struct {
	Variation
	Letter checker.Letter `json:"letter"`
	Hash   string         `json:"hash"` // of the history
	Name   say.Phrase     `json:"-"`    // of the script

	script *Script
}

// Played returns what was played.
func (s *Sighting) Played() *plan.Plan { return s.script.played(s.Seed) }

// File returns what was played as a scenario file: with the scale of the matrix it is
// that run. The matrix measures, so the file expects nothing.
func (s *Sighting) File() string {
	text := s.script.YAML
	if s.Seed > 0 {
		text = scenario.Resolved(s.script.vary(s.Seed)) + "\n"
	}
	return text + "expect: " + plan.Anything + "\n"
}

// Cell is what became of one lock under one kind of fault.
type Cell struct {
	Record // of the runs, to which join adds what the walk has found
	Letter checker.Letter
	// Rate of Broken and Stuck among the random variations, with its 95 % interval.
	Rate, Low, High float64
	Note            say.Phrase
	Walked          *Walked        // the walk's result; nil when it has no part in the cell
	Story           *results.Shown // of the walk, when the letter is worse for it; nil when the runs alone made it

	record Record // as the runs have left it
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
	if c.Untested++; c.Why == (say.Both{}) {
		c.Why = say.ScriptSays.With(s.Name, why).Both()
	}
}

func sighting(s *Script, v Variation, j *checker.Judgement) *Sighting {
	return &Sighting{Variation: v, Letter: j.Letter, Name: s.Name, Hash: j.History.Hash().String(), script: s}
}

// Tried are the names of the scripts that were played.
func (c *Cell) Tried() (names []say.Phrase) {
	for i := range c.Scripts {
		names = append(names, c.Scripts[i].Name)
	}
	return names
}

// Damaged reports whether the resource was damaged.
func (c *Cell) Damaged() bool { return c.DamagedBy != say.Both{} }

// Also are the letters that were seen besides and that the cell's own does not say, worst first.
func (c *Cell) Also() []checker.Letter { return c.Seen.Besides(c.Letter) }

// conclude derives the letter. Two runs, one with V and one with F, make VF. Harm is harm
// wherever it was seen, but only a script that brought the fault about shows that there is
// none: a cell in which no script tested anything is unknown.
func (c *Cell) conclude() {
	switch {
	case c.Runs == 0 || c.Scripted == nil && !c.Worst.Letter.Harms():
		c.Letter, c.Worst = checker.LetterUnknown, nil
		c.Note = say.NoScriptTested.With(c.Why.Phrase())
		return
	default:
		c.Letter = c.Seen.Worst()
	}
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
