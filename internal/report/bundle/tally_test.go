package bundle

import (
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/say"
)

// outcome is a run with a verdict on mutual exclusion; why says why it tested nothing.
func outcome(seed uint64, v checker.Verdict, why say.Phrase) *run.Outcome {
	return &run.Outcome{Lock: "x", Seed: seed, Judgement: checker.Judgement{
		History: history.New(history.Header{Seed: seed}), Untested: why,
		Findings: []checker.Finding{{Property: checker.MutualExclusionID, Verdict: v}},
	}}
}

// The worst seed decides, and the first seed that broke is the lowest, in any order of finishing.
func TestTally(t *testing.T) {
	const property = checker.MutualExclusionID
	tally := NewTally("x", 5, 4)
	neverFired := say.NeverFired.With(1, say.Both{English: "pause A"})
	for _, o := range []*run.Outcome{
		outcome(8, checker.Broken, say.Phrase{}), outcome(6, checker.Broken, say.Phrase{}),
		outcome(5, checker.Kept, say.Phrase{}), outcome(7, checker.Unknown, neverFired),
	} {
		kept := plan.Expectation{Property: property, Verdict: string(checker.Kept)}
		o.Expected = []run.Expected{{Expectation: kept, Got: o.Judgement.Findings[0].Verdict}}
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

// The rate of a file with random faults includes the runs that drew no effective fault, but not the
// runs that tested nothing for another reason.
func TestSparedRunsCountForTheFile(t *testing.T) {
	const property = checker.MutualExclusionID
	tally := NewTally("x", 1, 5)
	tally.Count(outcome(1, checker.Broken, say.Phrase{}))
	tally.Count(outcome(2, checker.Unknown, say.NothingDrawn.With()))
	tally.Count(outcome(3, checker.Unknown, say.NoDrawnHadEffect.With()))
	tally.Count(outcome(4, checker.Unknown, say.NoDrawnContended.With()))
	tally.Count(outcome(5, checker.Unknown, say.NeverFired.With(1, say.Both{English: "pause A"})))
	tally.Finish()
	if tally.Tested != 1 || tally.Rates[property].Rate != 1 {
		t.Errorf("%d tested, rate %v: want 1 of 1", tally.Tested, tally.Rates[property].Rate)
	}
	if tally.Spared != 3 || tally.OfAll[property].Rate != 0.25 {
		t.Errorf("%d spared, rate of all %v: want 1 of 4", tally.Spared, tally.OfAll[property].Rate)
	}
	if got, want := tally.OfAllText().English(), "counting the 3 runs whose drawn faults tested nothing: mutual-exclusion 1 of 4: 25 % (95 %: 4.6 % to 70 %)"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

// A line of random faults without an effect with any seed makes the result inconclusive.
func TestALineThatIdlesWithEverySeed(t *testing.T) {
	seed := func(n uint64, noticed ...bool) *run.Outcome {
		j := checker.Judgement{History: history.New(history.Header{Seed: n}), Findings: []checker.Finding{{Property: checker.ProgressID, Verdict: checker.Kept}}, Letter: checker.LetterSafe}
		for i, did := range noticed {
			j.Lines = append(j.Lines, checker.DrawnLine{Line: history.Line{Number: i + 1, Text: "drop"}, Noticed: did})
		}
		return &run.Outcome{Lock: "x", Seed: n, Judgement: j, Expected: []run.Expected{{Expectation: plan.Expectation{Property: checker.ProgressID, Verdict: "kept"}, Got: checker.Kept}}}
	}
	for _, tt := range []struct {
		seeds [2][]bool
		worst run.Status
		says  string
	}{
		{[2][]bool{{true, false}, {false, true}}, run.Met, ""},
		{[2][]bool{{true, false}, {true, false}}, run.Inconclusive, "with all 2 seeds, fault 2 of the list had no visible effect: drop"},
	} {
		tally := NewTally("x", 1, 2)
		for i, noticed := range tt.seeds {
			tally.Count(seed(uint64(i+1), noticed...))
		}
		tally.Finish()
		if got := tally.IdleText().English(); tally.Worst != tt.worst || got != tt.says || tally.Met != 2 || tally.NoneBrokeText().Empty() != (tt.says != "") {
			t.Errorf("%v: %d, %q", tt.seeds, tally.Worst, got)
		}
		if tt.worst == run.Inconclusive && (tally.Why().English() != tt.says || *tally.First() != 1) {
			t.Errorf("why: %q", tally.Why().English())
		}
	}
}

// The rate of a property counts the runs in which this property was kept or broken.
func TestEachPropertyHasItsOwnRate(t *testing.T) {
	tally := NewTally("x", 1, 4)
	for n, v := range []checker.Verdict{checker.Broken, checker.Kept, checker.Kept, checker.Unknown} {
		tally.Count(&run.Outcome{Lock: "x", Seed: uint64(n + 1), Judgement: checker.Judgement{
			History: history.New(history.Header{}), Letter: checker.LetterUnknown,
			Findings: []checker.Finding{{Property: checker.MutualExclusionID, Verdict: checker.Unknown, Reason: say.NobodyHadToWait.With()}, {Property: checker.ProgressID, Verdict: v}},
		}})
	}
	tally.Finish()
	if got := tally.BrokenRates()[0].Runs.English(); got != "1 of 3" || tally.Tested != 1 {
		t.Errorf("%s, %d tested", got, tally.Tested)
	}
}
