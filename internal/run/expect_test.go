package run

import (
	"context"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// The status of a run whose plan expects nothing, anything, or something of the lock.
func TestStatusOfWhatIsNotSaid(t *testing.T) {
	kept := []checker.Finding{
		{Property: checker.MutualExclusionID, Verdict: checker.Kept}, {Property: checker.NoLostUpdateID, Verdict: checker.Kept},
		{Property: checker.NoStaleWriteID, Verdict: checker.Kept}, {Property: checker.OwnerOnlyReleaseID, Verdict: checker.Kept},
		{Property: checker.ProgressID, Verdict: checker.Kept},
	}
	with := func(id string, f checker.Finding) []checker.Finding {
		all := append([]checker.Finding{}, kept...)
		for i := range all {
			if f.Property = id; all[i].Property == id {
				all[i] = f
			}
		}
		return all
	}
	noOccasion := checker.Finding{Verdict: checker.Unknown, NoOccasion: true}
	unknown, broken := checker.Finding{Verdict: checker.Unknown}, checker.Finding{Verdict: checker.Broken}
	anything := []plan.Expectation{{Lock: plan.EveryLock, Verdict: plan.Anything}}
	ofAnother := []plan.Expectation{{Lock: "other", Property: checker.ProgressID, Verdict: "kept"}}
	asked := []plan.Expectation{{Lock: plan.EveryLock, Property: checker.OwnerOnlyReleaseID, Verdict: "kept"}}
	noneExcluded := with(checker.OwnerOnlyReleaseID, noOccasion)
	noneExcluded[0] = checker.Finding{Property: checker.MutualExclusionID, Verdict: checker.Unknown}
	tests := []struct {
		name     string
		expect   []plan.Expectation
		findings []checker.Finding
		want     Status
		implied  int
	}{
		{"all is kept", nil, kept, Met, 5},
		{"something is said of another lock", ofAnother, kept, Met, 5},
		{"exclusion breaks", nil, with(checker.MutualExclusionID, broken), Missed, 5},
		{"a write is lost", nil, with(checker.NoLostUpdateID, broken), Missed, 5},
		{"progress is unknown", nil, with(checker.ProgressID, unknown), Inconclusive, 5},
		{"a removal is in doubt", nil, with(checker.OwnerOnlyReleaseID, unknown), Inconclusive, 5},
		{"no entry was removed", nil, with(checker.OwnerOnlyReleaseID, noOccasion), Met, 4},
		{"no entry was removed, and the plan asks", asked, with(checker.OwnerOnlyReleaseID, noOccasion), Inconclusive, 0},
		{"no entry was removed, and exclusion was not tested", nil, noneExcluded, Inconclusive, 5},
		{"anything, and it breaks", anything, with(checker.MutualExclusionID, broken), NothingExpected, 0},
		{"anything, and it is kept", anything, kept, NothingExpected, 0},
	}
	for _, tt := range tests {
		j := checker.Judgement{Findings: tt.findings}
		out := Outcome{Judgement: j, Expected: compare(&plan.Plan{Expect: tt.expect}, "lock", j)}
		implied := 0
		for _, e := range out.Expected {
			if e.Implied {
				implied++
			}
		}
		if out.Status() != tt.want || implied != tt.implied {
			t.Errorf("%s: status %d, %d implied", tt.name, out.Status(), implied)
		}
	}
}

// In a run in which no client removes an entry, exactly those properties have NoOccasion that could
// not break.
func TestNoOccasion(t *testing.T) {
	p := scenariotest.Story(t, "setnx", "when: A enters, crash: A")
	w := sim.New()
	defer w.Close()
	out := One(context.Background(), w, p, "setnx", 1)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	for _, f := range out.Judgement.Findings {
		want := f.Property != checker.MutualExclusionID && f.Property != checker.ProgressID
		if f.NoOccasion != want || f.NoOccasion && f.Verdict != checker.Unknown {
			t.Errorf("%s: %+v", f.Property, f)
		}
	}
}
