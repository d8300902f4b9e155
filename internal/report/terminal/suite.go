package terminal

import (
	"fmt"
	"strings"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Suite writes the counts on one line, and below it the runs that are not as expected.
func Suite(s *bundle.Suite, notPlayed int, l say.Language) string {
	var b strings.Builder
	said := func(p say.Part) string { return sanitize.Line(p.In(l)) }
	c := s.Counts(notPlayed)
	fmt.Fprintf(&b, "\n%s\n", said(say.Series{
		say.RunsAsExpected.With(say.Number(c.Met), say.Number(len(s.Runs)+notPlayed)), say.RunsMissed.With(say.Number(c.Missed)),
		say.RunsInconclusive.With(say.Number(c.Inconclusive)), say.RunsUnasked.With(say.Number(c.NothingExpected)),
		say.RunsNotPlayed.With(say.Number(c.NotPlayed)),
	}))
	for _, kind := range []struct {
		status run.Status
		word   string
	}{{run.Missed, "missed"}, {run.Inconclusive, "inconclusive"}} {
		for _, r := range s.Runs {
			if r.Status == kind.status {
				word := say.RulerFor(l).Pad(say.Text(kind.word).In(l), 12)
				fmt.Fprintf(&b, "  %s  %s\n", word, said(say.RunOfSuite.With(say.Verbatim(r.Scenario), say.Verbatim(r.Lock), r.Why)))
			}
		}
	}
	return b.String()
}
