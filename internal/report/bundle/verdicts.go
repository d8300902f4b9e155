package bundle

import (
	"cmp"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Properties lists the properties that the runs were judged by, in the order of reports.
func (b *Bundle) Properties() []string {
	var all []checker.Finding
	for i := range b.Runs {
		all = append(all, b.Runs[i].Judgement.Findings...)
	}
	return Properties(all)
}

// PropertyNames are their names in a language, clean.
func (b *Bundle) PropertyNames(l say.Language) []string {
	return each.Map(b.Properties(), func(p string) string {
		return sanitize.Text(say.PropertyName(p, l), sanitize.MaxName)
	})
}

// cell is one verdict in a table.
type cell struct {
	Verdict checker.Verdict
	Long    string // x broken 2x
	Times   int    // how often it was broken
	Short   string // x 2x
	Fenced  bool   // kept thanks to a fence
}

// CellOf is the verdict on a property in a language; "-" if it was not judged.
func CellOf(r *Run, property string, l say.Language) cell {
	f := r.Finding(property)
	if f == nil {
		return cell{Long: "-", Short: "-"}
	}
	c := cell{Verdict: f.Verdict, Long: VerdictText(f, l)}
	switch f.Verdict {
	case checker.Broken:
		c.Times = max(f.Count, len(f.Violations))
		c.Short = say.CrossTimes.With(say.Number(c.Times)).In(l)
	case checker.Kept:
		c.Short = "v"
		if property == checker.NoStaleWriteID && r.Judgement.History != nil {
			c.Fenced = r.Timeline().Count(history.WriteRefused) > 0
		}
	default:
		c.Short = "?"
	}
	return c
}

// Outcomes of a run with respect to its expectations.
const (
	AsExpected      = "as expected"
	NotAsExpected   = "NOT as expected"
	Inconclusive    = "inconclusive"
	nothingExpected = "nothing was expected"
)

// outcomeOf names a status; any other status is not as expected.
var outcomeOf = map[run.Status]string{
	run.NothingExpected: nothingExpected, run.Met: AsExpected, run.Inconclusive: Inconclusive,
}

// Outcome compares the run with its expectations. An unknown verdict neither misses nor meets one.
func (r *Run) Outcome() string {
	if r.Judgement.History == nil {
		return NotAsExpected
	}
	o := run.Outcome{Judgement: r.Judgement, Expected: r.Expected}
	return cmp.Or(outcomeOf[o.Alone()], NotAsExpected)
}

// Missed says which expectations were not met, and why: what it did not test, or which
// lines of random faults did nothing. It is empty without a reason.
func (r *Run) Missed() say.Phrase {
	return missed(&run.Outcome{Judgement: r.Judgement, Expected: r.Expected})
}

func missed(o *run.Outcome) say.Phrase {
	var parts say.Remarks
	untested := o.Untested()
	if !untested.Empty() {
		parts = append(parts, untested)
	} else if idle := o.Judgement.Idle(); !idle.Empty() {
		parts = append(parts, idle)
	}
	implied := false
	for _, e := range o.Expected {
		property := say.Property(e.Property)
		switch {
		case e.Met():
		case e.Got != checker.Unknown:
			parts = append(parts, say.WasExpected.With(property, say.Verdict(e.Got), say.Verdict(e.Verdict)))
			implied = implied || e.Implied
		case untested.Empty():
			parts = append(parts, say.UnknownBecause.With(property, o.Judgement.Finding(e.Property).Reason))
		}
	}
	if implied {
		parts = append(parts, say.Text("a lock without expectations is expected to keep every property"))
	}
	if len(parts) == 0 {
		return say.Phrase{}
	}
	return say.Said.With(parts)
}

// Outcome is the worst outcome of the runs.
func (b *Bundle) Outcome() string {
	for _, word := range []string{NotAsExpected, Inconclusive, AsExpected} {
		if slices.ContainsFunc(b.Runs, func(r Run) bool { return r.Outcome() == word }) {
			return word
		}
	}
	return nothingExpected
}

// AnyBroken reports whether a run broke a property.
func AnyBroken(r *Run) bool { return BrokenCount(r) > 0 }

// BrokenCount counts the properties that a run broke.
func BrokenCount(r *Run) int {
	return each.Count(r.Judgement.Findings, func(f *checker.Finding) bool { return f.Verdict == checker.Broken })
}

// First is the first history of a bundle and the index of its run; nil without one.
func (b *Bundle) First() (int, *history.History) {
	for i, h := range b.Histories() {
		return i, h
	}
	return 0, nil
}
