package bundle

import (
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// Suite is the result of several scenarios: one run for each of their locks.
type Suite struct{ Runs []SuiteRun }

// SuiteRun is one run of a suite.
type SuiteRun struct {
	Scenario, Lock string
	Status         run.Status
	Why            say.Phrase // why it is not as expected; empty if it is
}

// Add adds a run.
func (s *Suite) Add(r SuiteRun) { s.Runs = append(s.Runs, r) }

// AddResult adds the runs of one scenario.
func (s *Suite) AddResult(r *run.Result) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		s.Add(SuiteRun{r.Plan.Slug, o.Lock, o.Alone(), missed(o)})
	}
}

// StatusCounts are the numbers of runs by status.
type StatusCounts struct {
	Met             int `json:"as_expected" doc:"All that was expected came about."`
	Missed          int `json:"missed" doc:"Something came out otherwise than it was expected."`
	Inconclusive    int `json:"inconclusive" doc:"Something was not put to the test."`
	NothingExpected int `json:"nothing_expected" doc:"The scenario says that nothing is expected."`
	NotPlayed       int `json:"not_played" doc:"The world cannot play it."`
}

// Counts counts the runs by status; notPlayed were left out.
func (s *Suite) Counts(notPlayed int) StatusCounts {
	c := StatusCounts{NotPlayed: notPlayed}
	for i := range s.Runs {
		switch s.Runs[i].Status {
		case run.NothingExpected:
			c.NothingExpected++
		case run.Met:
			c.Met++
		case run.Inconclusive, run.Failed: // what was not played to its end says nothing
			c.Inconclusive++
		default:
			c.Missed++
		}
	}
	return c
}
