package run

import (
	"context"
	"slices"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// findings are those of a run that keeps every core property except for these.
func findings(but ...checker.Finding) (all []checker.Finding) {
	for _, p := range checker.All() {
		at := slices.IndexFunc(but, func(f checker.Finding) bool { return f.Property == p.ID })
		switch {
		case at >= 0:
			all = append(all, but[at])
		case p.Core:
			all = append(all, checker.Finding{Property: p.ID, Verdict: checker.Kept})
		}
	}
	return all
}

// The status of a run whose plan expects nothing, anything, or something of the lock.
func TestStatusOfWhatIsNotSaid(t *testing.T) {
	finding := func(id string, v checker.Verdict) checker.Finding { return checker.Finding{Property: id, Verdict: v} }
	none := checker.Finding{Property: checker.OwnerOnlyReleaseID, Verdict: checker.Unknown, NoOccasion: true}
	anything := []plan.Expectation{{Lock: plan.EveryLock, Verdict: plan.Anything}}
	ofAnother := []plan.Expectation{{Lock: "other", Property: checker.ProgressID, Verdict: "kept"}}
	asked := []plan.Expectation{{Lock: plan.EveryLock, Property: checker.OwnerOnlyReleaseID, Verdict: "kept"}}
	tests := []struct {
		name     string
		expect   []plan.Expectation
		findings []checker.Finding
		want     Status
		implied  int
	}{
		{"all is kept", nil, findings(), Met, 5},
		{"something is said of another lock", ofAnother, findings(), Met, 5},
		{"exclusion breaks", nil, findings(finding(checker.MutualExclusionID, checker.Broken)), Missed, 5},
		{"a write is lost", nil, findings(finding(checker.NoLostUpdateID, checker.Broken)), Missed, 5},
		{"progress is unknown", nil, findings(finding(checker.ProgressID, checker.Unknown)), Inconclusive, 5},
		{"a removal is in doubt", nil, findings(finding(checker.OwnerOnlyReleaseID, checker.Unknown)), Inconclusive, 5},
		{"no entry was removed", nil, findings(none), Met, 4},
		{"no entry was removed, and the plan asks", asked, findings(none), Inconclusive, 0},
		{"no entry was removed, and exclusion was not tested", nil, findings(none, finding(checker.MutualExclusionID, checker.Unknown)), Inconclusive, 5},
		{"anything, and it breaks", anything, findings(finding(checker.MutualExclusionID, checker.Broken)), NothingExpected, 0},
		{"anything, and it is kept", anything, findings(), NothingExpected, 0},
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
