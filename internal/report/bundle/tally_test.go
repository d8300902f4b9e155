package bundle

import (
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// The worst of many seeds counts, and the first seed that broke is the lowest, whoever was faster.
func TestTally(t *testing.T) {
	const property = checker.MutualExclusionID
	seed := func(n uint64, v checker.Verdict) *run.Outcome {
		return &run.Outcome{
			Lock: "x", Seed: n,
			Judgement: checker.Judgement{History: history.New(history.Header{Seed: n}), Findings: []checker.Finding{{Property: property, Verdict: v}}},
			Expected:  []run.Expected{{Expectation: plan.Expectation{Property: property, Verdict: string(checker.Kept)}, Got: v}},
		}
	}
	tally := NewTally("x", 5, 4)
	untested := seed(7, checker.Unknown)
	untested.Judgement.Untested = say.NeverFired.With(1, say.Both{English: "pause A"})
	for _, o := range []*run.Outcome{seed(8, checker.Broken), seed(6, checker.Broken), seed(5, checker.Kept), untested} {
		tally.Count(o)
	}
	tally.Finish()
	if tally.Worst != run.Missed || tally.Met != 1 || tally.Runs != 4 || tally.Tested != 3 || tally.Untested != 1 {
		t.Errorf("the worst is %d; %d met, %d runs, %d tested", tally.Worst, tally.Met, tally.Runs, tally.Tested)
	}
	if tally.FirstBroke[property] != 6 || tally.First() == nil || *tally.First() != 6 || tally.Broken[property] != 2 {
		t.Errorf("first broken with seed %d, %d times", tally.FirstBroke[property], tally.Broken[property])
	}
}
