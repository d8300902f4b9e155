package report

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/say"
)

// state is how one property of one lock came out, for reports that know passed,
// failed and skipped.
type state int

const (
	statePassed  state = iota // kept, or as the scenario expects it
	stateMissed               // not as the scenario expects it
	stateUnknown              // the run did not put it to the test
	stateBroken               // broken, and the scenario expects nothing of it
)

// caseOf is a finding beside what the scenario expects of it.
type caseOf struct {
	run      *Run
	finding  *checker.Finding
	expected string // kept, broken, or "" when nothing is expected
	state    state
	line     int // of the expectation in the scenario file, 0 when unknown
}

// cases lists what was judged, in the order of reports.
func (b *Bundle) cases(r *Run) []caseOf {
	var out []caseOf
	for _, id := range Properties(r.Judgement.Findings) {
		c := caseOf{run: r, finding: r.finding(id)}
		for _, e := range r.Expected {
			if e.Property == id {
				c.expected = e.Expected
			}
		}
		c.line = b.expectLine(r.Lock, id)
		got := c.finding.Verdict
		switch {
		case got == checker.Unknown:
			c.state = stateUnknown
		case c.expected == "" && got == checker.Broken:
			c.state = stateBroken
		case c.expected != "" && c.expected != string(got):
			c.state = stateMissed
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

// expectLine is where the scenario file says what it expects of a property.
func (b *Bundle) expectLine(lock, property string) int {
	if b.Plan == nil {
		return 0
	}
	said, _ := b.Plan.Said(lock)
	for _, e := range said {
		if e.Property == property {
			return e.Line
		}
	}
	return 0
}

// file is the scenario's file, "" when it did not come from one.
func (b *Bundle) file() string {
	if b.Plan == nil || b.Plan.File == "-" || b.Plan.File == "stdin" {
		return ""
	}
	return b.Plan.File
}

// sentence says what became of the property, in one clean sentence.
func (c *caseOf) sentence() string {
	f := c.finding
	text := ""
	switch f.Verdict {
	case checker.Broken:
		alone := c.run.Judgement
		alone.Findings = []checker.Finding{*f}
		text = explain.Verdict(alone).English()
	case checker.Unknown:
		text = fmt.Sprintf("%s: %s is unknown", c.run.Lock, f.Property)
		if !f.Reason.Empty() {
			text += ", since " + f.Reason.English()
		}
		text += "."
	default:
		text = fmt.Sprintf("%s kept %s.", c.run.Lock, f.Property)
	}
	return clean(text, maxLine)
}

// missed says how verdict and expectation differ; "" when they do not.
func (c *caseOf) missed() string {
	switch {
	case c.expected == "" || c.expected == string(c.finding.Verdict):
		return ""
	case c.expected == string(checker.Broken) && c.finding.Verdict == checker.Kept:
		return "Expected broken, got kept: a known-bad lock was not caught."
	}
	return clean(fmt.Sprintf("Expected %s, got %s.", c.expected, c.finding.Verdict), maxLine)
}

// first says when the first violation began, "" when there is none.
func (c *caseOf) first() string {
	if len(c.finding.Violations) == 0 {
		return ""
	}
	return "First at " + c.finding.Violations[0].From.String() + "."
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
