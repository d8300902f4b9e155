package main

import (
	"fmt"
	"io"
	"strings"

	"lockstep/internal/report"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// suite is what came of several scenarios: one run for each lock of each. Nobody reads
// some hundred tables to find the one that is red.
type suite struct{ runs []suiteRun }

type suiteRun struct {
	scenario, lock string
	status         run.Status
	why            string // "" when there is nothing to say
}

func (s *suite) add(r suiteRun) { s.runs = append(s.runs, r) }

// addResult adds the runs of one scenario.
func (s *suite) addResult(r *run.Result) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		s.add(suiteRun{r.Plan.Slug, o.Lock, o.Status(), whyNot(o)})
	}
}

// whyNot says why a run is not as expected; "" when it is.
func whyNot(o *run.Outcome) string {
	var parts []string
	if o.Status() == run.Inconclusive && !o.Untested().Empty() {
		return o.Untested().English() // the reason of the unknown verdicts
	}
	for _, e := range o.Expected {
		if e.Met() {
			continue
		}
		part := fmt.Sprintf("%s was %s, expected %s", e.Property, e.Got, e.Verdict)
		if reason := o.Judgement.Finding(e.Property).Reason; !reason.Empty() {
			part = say.UnknownBecause.With(say.Verbatim(e.Property), reason).English()
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

func (s *suite) counts(notPlayed int) report.StatusCounts {
	c := report.StatusCounts{NotPlayed: notPlayed}
	for i := range s.runs {
		switch s.runs[i].status {
		case run.NothingExpected:
			c.NothingExpected++
		case run.Met:
			c.Met++
		case run.Inconclusive:
			c.Inconclusive++
		default:
			c.Missed++
		}
	}
	return c
}

// print writes the counts in one line, and names the runs that are not as expected below.
func (s *suite) print(w io.Writer, notPlayed int) {
	c := s.counts(notPlayed)
	fmt.Fprintf(w, "\n%d of %d runs as expected, %d missed, %d inconclusive, %d with nothing expected, %d not played\n",
		c.Met, len(s.runs)+notPlayed, c.Missed, c.Inconclusive, c.NothingExpected, c.NotPlayed)
	for _, kind := range []struct {
		status run.Status
		word   string
	}{{run.Missed, "missed"}, {run.Inconclusive, "inconclusive"}} {
		for _, r := range s.runs {
			if r.status == kind.status {
				fmt.Fprintf(w, "  %-12s  %s with %s: %s\n", kind.word, r.scenario, r.lock, terminalText(r.why))
			}
		}
	}
}
