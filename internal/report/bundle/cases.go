package bundle

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// state is how one property of one lock came out, for reports that know passed,
// failed and skipped.
type state int

const (
	statePassed  state = iota // kept, or as the scenario expects it
	StateMissed               // not as the scenario expects it
	StateUnknown              // the run did not put it to the test
	StateBroken               // broken, and the scenario expects nothing of it
)

// Case is a finding beside what the scenario expects of it.
type Case struct {
	run      *Run
	Finding  *checker.Finding
	Expected string // kept, broken, or "" when nothing is expected
	State    state
	Line     int // of the expectation in the scenario file, 0 when unknown
}

// Cases lists what was judged, in the order of reports.
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

// Properties lists the properties of findings in the order of reports: the usual
// ones first, then the others as they come.
func Properties(findings []checker.Finding) []string {
	var ids []string
	for _, id := range explain.Order {
		if slices.ContainsFunc(findings, func(f checker.Finding) bool { return f.Property == id }) {
			ids = append(ids, id)
		}
	}
	for i := range findings {
		if id := findings[i].Property; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// File is the scenario's file, "" when it did not come from one.
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

// Missed says how verdict and expectation differ; "" when they do not.
func (c *Case) Missed() string {
	switch {
	case c.Expected == "" || c.Expected == string(c.Finding.Verdict):
		return ""
	case c.Expected == string(checker.Broken) && c.Finding.Verdict == checker.Kept:
		return "Expected broken, got kept: a known-bad lock was not caught."
	}
	return sanitize.Text(fmt.Sprintf("Expected %s, got %s.", c.Expected, c.Finding.Verdict), sanitize.MaxLine)
}

// First says when the first violation began, "" when there is none.
func (c *Case) First() string {
	if len(c.Finding.Violations) == 0 {
		return ""
	}
	return "First at " + c.Finding.Violations[0].From.String() + "."
}

// VerdictText is a verdict as a table shows it, "x broken 2x"; "" for nil.
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

// Again is the line that replays the run, clean; "" when there is none.
func (b *Bundle) Again() string {
	if b.Replay == "" {
		return ""
	}
	return "again: " + sanitize.Text(b.Replay, sanitize.MaxProse)
}
