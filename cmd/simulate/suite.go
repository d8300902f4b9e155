package main

import (
	"fmt"

	"lockstep/internal/report/export"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// suite is what came of several scenarios: one run for each lock of each. Nobody reads
// some hundred tables to find the one that is red.
type suite struct{ runs []suiteRun }

type suiteRun struct {
	scenario, lock string
	status         run.Status
	why            say.Phrase // empty when there is nothing to say
}

func (s *suite) add(r suiteRun) { s.runs = append(s.runs, r) }

// addResult adds the runs of one scenario.
func (s *suite) addResult(r *run.Result) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		s.add(suiteRun{r.Plan.Slug, o.Lock, o.Status(), whyNot(o)})
	}
}

// whyNot says why a run is not as expected; nothing when it is.
func whyNot(o *run.Outcome) say.Phrase {
	var parts say.Remarks
	if o.Status() == run.Inconclusive && !o.Untested().Empty() {
		return o.Untested() // the reason of the unknown verdicts
	}
	for _, e := range o.Expected {
		if e.Met() {
			continue
		}
		part := say.WasExpected.With(say.Verbatim(e.Property), say.Verdict(e.Got), say.Verdict(e.Verdict))
		if reason := o.Judgement.Finding(e.Property).Reason; !reason.Empty() {
			part = say.UnknownBecause.With(say.Verbatim(e.Property), reason)
		}
		parts = append(parts, part)
	}
	return say.SeveralReasons.With(parts)
}

func (s *suite) counts(notPlayed int) export.StatusCounts {
	c := export.StatusCounts{NotPlayed: notPlayed}
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
func (s *suite) print(g *globals, notPlayed int) {
	c := s.counts(notPlayed)
	fmt.Fprintf(g.stdout, "\n%s\n", g.said(say.Series{
		say.RunsAsExpected.With(say.Number(c.Met), say.Number(len(s.runs)+notPlayed)), say.RunsMissed.With(say.Number(c.Missed)),
		say.RunsInconclusive.With(say.Number(c.Inconclusive)), say.RunsUnasked.With(say.Number(c.NothingExpected)),
		say.RunsNotPlayed.With(say.Number(c.NotPlayed)),
	}))
	for _, kind := range []struct {
		status run.Status
		word   string
	}{{run.Missed, "missed"}, {run.Inconclusive, "inconclusive"}} {
		for _, r := range s.runs {
			if r.status == kind.status {
				word := say.RulerFor(g.language).Pad(say.Text(kind.word).In(g.language), 12)
				fmt.Fprintf(g.stdout, "  %s  %s\n", word, g.said(say.RunOfSuite.With(say.Verbatim(r.scenario), say.Verbatim(r.lock), r.why)))
			}
		}
	}
}
