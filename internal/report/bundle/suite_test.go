package bundle_test

import (
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
)

// A run that was interrupted has missed nothing: its result is unknown.
func TestARunWithoutItsEndIsInconclusive(t *testing.T) {
	var s bundle.Suite
	for _, status := range []run.Status{run.Met, run.Failed, run.Missed, run.Inconclusive, run.NothingExpected} {
		s.Add(bundle.SuiteRun{Scenario: "story", Lock: "lock", Status: status})
	}
	if got, want := s.Counts(3), (bundle.StatusCounts{Met: 1, Missed: 1, Inconclusive: 2, NothingExpected: 1, NotPlayed: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
