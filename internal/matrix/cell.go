package matrix

import (
	"strconv"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
)

// NotApplicable is the letter of a cell whose fault could not be brought about.
const NotApplicable checker.Letter = "-"

// Variation names one run of a cell: which script, and which random variation of
// it; seed 0 is the script as it stands.
type Variation struct {
	Script int
	Seed   uint64
}

// Sighting is a run in which something was seen.
type Sighting struct {
	Variation
	Letter checker.Letter
	Name   say.Both // of the script
	Hash   string   // of the history

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
	Lock, Fault string
	Letter      checker.Letter
	Runs        int // that tested something
	Untested    int // in which the fault never fired, or nobody contended
	Broken      int // letters V, F and VF
	Stuck       int // letter D
	// Rate of Broken and Stuck among the random variations, with its 95 % interval.
	Rate, Low, High float64
	Scripted        *Sighting // the worst of the scripts; nil when none tested anything
	Worst           *Sighting // the worst of all runs, the earliest of these
	Note            say.Phrase
	Scripts         []say.Both // names of the scripts that were tried

	varied, bad int // random variations, and the broken or stuck among them
	excluded    bool
	robbed      bool
	why         say.Phrase // of the first run that tested nothing
}

// Badness orders letters from harmless to harmful; 0 is for those that say nothing.
func Badness(l checker.Letter) int {
	for i, known := range checker.Letters {
		if known.Letter == l && l != checker.LetterUnknown {
			return i + 1
		}
	}
	return 0
}

// add adds the outcome of one run.
func (c *Cell) add(s *Script, v Variation, j *checker.Judgement) {
	if j.Letter == checker.LetterUnknown {
		c.Untested++
		if c.why.Empty() {
			c.why = say.ScriptSays.With(s.Name, j.WhyUnknown())
		}
		return
	}
	c.Runs++
	bad := false
	switch j.Letter {
	case checker.LetterV, checker.LetterF, checker.LetterVF:
		c.Broken++
		bad = true
	case checker.LetterStuck:
		c.Stuck++
		bad = true
	}
	c.excluded = c.excluded || j.Letter == checker.LetterV || j.Letter == checker.LetterVF
	c.robbed = c.robbed || j.Letter == checker.LetterF || j.Letter == checker.LetterVF
	if v.Seed > 0 {
		c.varied++
		if bad {
			c.bad++
		}
	}
	if v.Seed == 0 && (c.Scripted == nil || Badness(j.Letter) > Badness(c.Scripted.Letter)) {
		c.Scripted = sighting(s, v, j)
	}
	if c.Worst == nil || Badness(j.Letter) > Badness(c.Worst.Letter) {
		c.Worst = sighting(s, v, j)
	}
}

func sighting(s *Script, v Variation, j *checker.Judgement) *Sighting {
	return &Sighting{Variation: v, Letter: j.Letter, Name: s.Name, Hash: j.History.Hash().String(), script: s}
}

// conclude derives the letter. Two runs, one with V and one with F, make VF. Harm is harm
// wherever it was seen, but only a script that brought the fault about shows that there is
// none: a cell in which no script tested anything is unknown.
func (c *Cell) conclude() {
	switch {
	case c.Runs == 0 || c.Scripted == nil && Badness(c.Worst.Letter) <= Badness(checker.LetterDelay):
		c.Letter, c.Worst = checker.LetterUnknown, nil
		c.Note = say.NoScriptTested.With(c.why)
		return
	case c.excluded && c.robbed:
		c.Letter = checker.LetterVF
	default:
		c.Letter = c.Worst.Letter
	}
	low, high := rate.Wilson(c.bad, c.varied)
	c.Rate, c.Low, c.High = rate.InOne(rate.Of(c.bad, c.varied)), rate.InOne(low), rate.InOne(high)
	c.Note = c.Worst.Name.Phrase()
	if c.Scripted == nil || Badness(c.Scripted.Letter) < Badness(c.Worst.Letter) {
		c.Note = say.FoundByVariation.With(say.Verbatim(strconv.FormatUint(c.Worst.Seed, 10)), c.Worst.Name)
	}
	if c.Letter == checker.LetterSafe {
		c.Note = say.SafeSoFar.With(say.Number(c.Runs-c.varied), say.Number(c.varied), say.Percent(c.High))
	}
}
