package run

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/rng/spread"
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

// A run of a program whose entry could not be followed is inconclusive if anything is expected of
// the program. So is one without requests to its servers, even if nothing is expected. A program
// that removes another client's entry fails a story unless that says otherwise.
func TestAProgramThatCannotBeFollowedIsNoSuccess(t *testing.T) {
	one := []plan.Expectation{{Lock: plan.EveryLock, Property: checker.ProgressID, Verdict: "kept"}}
	looks := []plan.Expectation{{Lock: plan.EveryLock, Verdict: plan.Anything}}
	foreign := checker.Finding{Property: checker.OwnerOnlyReleaseID, Verdict: checker.Broken}
	expected := append(one, plan.Expectation{Lock: plan.EveryLock, Property: checker.OwnerOnlyReleaseID, Verdict: "broken"})
	doubt := checker.Finding{Property: checker.OwnerOnlyReleaseID, Verdict: checker.Unknown, Doubts: 1}
	for _, c := range []struct {
		name    string
		expect  []plan.Expectation
		release checker.Finding
		entry   history.Watched
		alone   string
		want    Status
	}{
		{"followed", one, checker.Finding{Property: checker.OwnerOnlyReleaseID, Verdict: checker.Kept}, history.Followed, "", Met},
		{"not followed", one, doubt, history.Unfollowed, "", Inconclusive},
		{"not followed, and nothing is said", nil, doubt, history.Unfollowed, "", Inconclusive},
		{"unread, and the story does not ask", one, doubt, history.Unread, "", Met},
		{"unread, and nothing is said", nil, doubt, history.Unread, "", Inconclusive},
		{"unknown, without a doubt", one, checker.Finding{Property: checker.OwnerOnlyReleaseID, Verdict: checker.Unknown}, history.Followed, "", Met},
		{"it robs", one, foreign, history.Followed, "", Missed},
		{"it robs, and the story says so", expected, foreign, history.Followed, "", Met},
		{"it robs, and anything is expected", looks, foreign, history.Followed, "", NothingExpected},
		{"anything is expected", looks, doubt, history.Unfollowed, "", NothingExpected},
		{"anything is expected, and it used no server", looks, doubt, history.Unfollowed, "A", Inconclusive},
	} {
		p := &plan.Plan{Expect: c.expect, Programs: []locks.Variant{{ID: "mine", Program: []string{"x"}}}}
		h := history.New(history.Header{Entry: c.entry, Alone: c.alone})
		j := checker.Judgement{History: h, Findings: findings(c.release)}
		o := Outcome{Judgement: j, Expected: compare(p, "mine", j)}
		if o.Status() != c.want {
			t.Errorf("%s: status %d, want %d: %+v", c.name, o.Status(), c.want, o.Expected)
		}
	}
	// A lock that the story names does not fail it by what it says nothing of.
	p, j := &plan.Plan{Expect: one}, checker.Judgement{Findings: findings(foreign)}
	if o := (Outcome{Judgement: j, Expected: compare(p, "set-nx-ex-del", j)}); o.Status() != Met {
		t.Errorf("a lock of ours that robs: status %d: %+v", o.Status(), o.Expected)
	}
}

// Breaking expects that the given properties break and the others are kept, except those about
// writes if two may hold the lock.
func TestBreaking(t *testing.T) {
	got := map[string]string{}
	for _, e := range Breaking([]string{"mine"}, []string{checker.MutualExclusionID}) {
		got[e.Property] = e.Verdict
	}
	if len(got) != 3 || got[checker.MutualExclusionID] != "broken" || got[checker.OwnerOnlyReleaseID] != "kept" || got[checker.ProgressID] != "kept" {
		t.Errorf("got %v", got)
	}
	if all := Breaking([]string{"mine"}, []string{checker.OwnerOnlyReleaseID}); len(all) != 5 {
		t.Errorf("got %v", all)
	}
}

// Three lines say what was tried, what was not, and how entries were followed. Runs that tested
// nothing count only as such.
func TestTried(t *testing.T) {
	p := plan.Default()
	p.Slug, p.Lease, p.Network.Timeout, p.Workload.Work = "pause", 10*time.Second, 3*time.Second, spread.Range{Min: time.Second, Max: 9 * time.Second}
	h := history.New(history.Header{Entry: history.Followed, Keys: `"app:lock"`})
	pause := checker.FiredFault{Fault: history.Fault{Verb: "pause"}, Times: 1}
	vain := checker.FiredFault{Fault: history.Fault{Verb: "crash"}, Times: 1, NoEffect: true}
	tested := &Outcome{Judgement: checker.Judgement{History: h, Letter: checker.LetterSafe, Faults: []checker.FiredFault{pause, vain}}}
	var none, some Tried
	blind := history.New(history.Header{Entry: history.Unfollowed})
	none.Add(&p, &Outcome{Judgement: checker.Judgement{History: blind, Letter: checker.LetterUnknown, Faults: []checker.FiredFault{pause}}})
	if lines := none.Lines(); !strings.HasPrefix(lines[0].English(), "tried: nothing") || !strings.Contains(lines[1].English(), "pause") || !strings.Contains(lines[2].English(), "not followed") {
		t.Errorf("of nothing: %s, %s, %s", lines[0].English(), lines[1].English(), lines[2].English())
	}
	some.Add(&p, tested)
	want := []string{
		"tried: 1 story, with pause; a lease of 10 s, work of 1 s to 9 s, a response timeout of " + "3 s",
		"not tried: crash, ", `entries: followed, by the key "app:lock"`,
	}
	for i, line := range some.Lines() {
		if !strings.HasPrefix(line.English(), want[i]) || i == 1 && strings.Contains(line.English(), "pause") {
			t.Errorf("line %d: %q, want %q", i, line.English(), want[i])
		}
	}
	other := p
	other.Slug, other.Lease, other.Network.Timeout, other.Clients = "crash", 2*time.Second, time.Second, []string{"A", "B"}
	other.Workload.Work, other.Own = spread.Range{Min: 2 * time.Second, Max: 3 * time.Second}, map[string]plan.Workload{"B": {Work: spread.Range{Min: time.Second / 2, Max: time.Second}}}
	never := checker.FiredFault{Fault: history.Fault{Verb: "restart"}}
	for range 2 {
		some.Add(&other, &Outcome{Judgement: checker.Judgement{History: h, Letter: checker.LetterSafe, Faults: []checker.FiredFault{never}}})
	}
	const two = "tried: 2 stories, with pause; a lease of 2 s to 10 s, work of 500 ms to 9 s, a response timeout of 1 s to 3 s"
	if lines := some.Lines(); lines[0].English() != two || !strings.Contains(lines[1].English(), "restart") {
		t.Errorf("two stories: %s; %s; want %s", lines[0].English(), lines[1].English(), two)
	}
	some.Add(&p, &Outcome{Judgement: checker.Judgement{History: blind, Letter: checker.LetterUnknown}})
	if lines := some.Lines(); !strings.HasSuffix(lines[0].English(), "; 1 run inconclusive") || !strings.Contains(lines[2].English(), "not followed") {
		t.Errorf("with one that tested nothing: %s, %s", lines[0].English(), lines[2].English())
	}
}
