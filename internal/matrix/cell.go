package matrix

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/measured"
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
	Scripts         []Sighting      // each script as it stands, in the order in which they were tried
	Walked          *Walked         // what the walk has come to; nil when it has no part in the cell
	Story           *measured.Shown // of the walk, when the letter is worse for it; nil when the runs alone made it
	DamagedBy       say.Both        // the script or the story by which the resource was damaged; empty when it never was

	record      Record
	varied, bad int           // random variations, and the broken or stuck among them
	seen        [letters]bool // by badness
	why         say.Phrase    // of the first run that tested nothing
}

// letters are how many there are, with one place for what says nothing.
const letters = 7

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
	if v.Seed == 0 {
		c.Scripts = append(c.Scripts, *sighting(s, v, j))
	}
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
	c.saw(j.Letter)
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

// Tried are the names of the scripts that were played.
func (c *Cell) Tried() (names []say.Both) {
	for i := range c.Scripts {
		names = append(names, c.Scripts[i].Name)
	}
	return names
}

// Damaged reports whether the resource was damaged.
func (c *Cell) Damaged() bool { return c.DamagedBy != say.Both{} }

// saw notes what was seen.
func (c *Cell) saw(l checker.Letter) { c.seen[Badness(l)] = true }

func (c *Cell) has(l checker.Letter) bool { return c.seen[Badness(l)] }

// worst is the letter of all that was seen; unknown when nothing was.
func (c *Cell) worst() checker.Letter {
	if c.has(checker.LetterV) && c.has(checker.LetterF) {
		return checker.LetterVF
	}
	worst := checker.LetterUnknown
	for _, known := range checker.Letters {
		if c.has(known.Letter) && Badness(known.Letter) > Badness(worst) {
			worst = known.Letter
		}
	}
	return worst
}

// Also are the letters that were seen besides and that the cell's own does not say, worst
// first. S is none of them: some run does no harm in every cell.
func (c *Cell) Also() []checker.Letter {
	out := []checker.Letter{}
	for _, known := range slices.Backward(checker.Letters) {
		l := known.Letter
		if c.has(l) && Badness(l) > Badness(checker.LetterSafe) && !strings.Contains(string(c.Letter), string(l)) {
			out = append(out, l)
		}
	}
	return out
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
	default:
		c.Letter = c.worst()
	}
	low, high := rate.Wilson(c.bad, c.varied)
	c.Rate, c.Low, c.High = rate.InOne(rate.Of(c.bad, c.varied)), rate.InOne(low), rate.InOne(high)
	c.Note = c.Worst.Name.Phrase()
	if c.Scripted == nil || Badness(c.Scripted.Letter) < Badness(c.Worst.Letter) {
		c.Note = say.FoundByVariation.With(say.Seed(c.Worst.Seed), c.Worst.Name)
	}
	if c.Letter == checker.LetterSafe {
		c.Note = say.SafeSoFar.With(say.Number(c.Runs-c.varied), say.Number(c.varied), say.Percent(c.High))
	}
}
