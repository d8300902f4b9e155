package bundle

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/explain"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// state is the result of one property of one lock, for formats with passed, failed and skipped.
type state int

const (
	_            state = iota // kept, or as expected
	StateMissed               // not as expected
	StateUnknown              // not put to the test
	StateBroken               // broken, without an expectation
)

// Case is a finding with its expectation.
type Case struct {
	run      *Run
	Finding  *checker.Finding
	Expected string // kept, broken, or "" without an expectation
	State    state
	Line     int // of the expectation in the scenario file, 0 when unknown
}

// Cases lists the findings of a run, in the order of reports.
func (r *Run) Cases() []Case {
	var out []Case
	for _, id := range Properties(r.Judgement.Findings) {
		c := Case{run: r, Finding: r.Finding(id)}
		for _, e := range r.Expected {
			if e.Property == id {
				c.Expected, c.Line = e.Verdict, e.Line
			}
		}
		got := c.Finding.Verdict
		switch {
		case got == checker.Unknown:
			c.State = StateUnknown
		case c.Expected == "" && got == checker.Broken:
			c.State = StateBroken
		case c.Expected != "" && c.Expected != string(got):
			c.State = StateMissed
		}
		out = append(out, c)
	}
	return out
}

// Properties lists the properties of findings in the order of reports: the usual ones first, then
// the others in their own order.
func Properties(findings []checker.Finding) []string {
	found := each.Map(findings, func(f checker.Finding) string { return f.Property })
	var ids []string
	for _, id := range append(slices.Clone(explain.Order), found...) {
		if slices.Contains(found, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// File is the file of the scenario, "" if it was not read from one.
func (b *Bundle) File() string {
	if b.Plan == nil || b.Plan.File == "-" || b.Plan.File == "stdin" {
		return ""
	}
	return b.Plan.File
}

// Sentence is the verdict on the property, in one clean sentence.
func (c *Case) Sentence() string {
	f := c.Finding
	text := ""
	switch f.Verdict {
	case checker.Broken:
		text = explain.Broke(c.run.Timeline(), &c.run.Judgement, f).English()
	case checker.Unknown:
		text = fmt.Sprintf("%s: %s is unknown", c.run.Lock, f.Property)
		if !f.Reason.Empty() {
			text += ", since " + f.Reason.English()
		}
		text += "."
	default:
		text = fmt.Sprintf("%s kept %s.", c.run.Lock, f.Property)
	}
	return sanitize.Text(text, sanitize.MaxLine)
}

// Missed says how verdict and expectation differ; "" if they agree.
func (c *Case) Missed() string {
	switch {
	case c.Expected == "" || c.Expected == string(c.Finding.Verdict):
		return ""
	case c.Expected == string(checker.Broken) && c.Finding.Verdict == checker.Kept:
		return "Expected broken, got kept: a known-bad lock was not caught."
	}
	return sanitize.Text(fmt.Sprintf("Expected %s, got %s.", c.Expected, c.Finding.Verdict), sanitize.MaxLine)
}

// First says when the first violation began, "" without one.
func (c *Case) First() string {
	if len(c.Finding.Violations) == 0 {
		return ""
	}
	return "First at " + c.Finding.Violations[0].From.String() + "."
}

// VerdictText is the text of a verdict in a table, as in "x broken 2x"; "" for nil.
func VerdictText(f *checker.Finding, l say.Language) string {
	switch {
	case f == nil:
		return ""
	case f.Verdict == checker.Broken:
		return say.CrossBroken.With(say.Number(max(f.Count, len(f.Violations)))).In(l)
	case f.Verdict == checker.Kept:
		return "v " + say.Verdict(checker.Kept).In(l)
	}
	return "? " + say.Verdict(checker.Unknown).In(l)
}

// Again is the line with the replay command, clean; "" without one.
func (b *Bundle) Again() string {
	if b.Replay == "" {
		return ""
	}
	return "again: " + sanitize.Text(b.Replay, sanitize.MaxProse)
}
