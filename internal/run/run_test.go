package run

import (
	"context"
	"errors"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// A run is as expected when every expectation holds and everything was tested. Unknown verdicts are
// neither met nor missed.
func TestStatus(t *testing.T) {
	expect := func(want string, got checker.Verdict) Expected {
		return Expected{Expectation: plan.Expectation{Property: checker.MutualExclusionID, Verdict: want}, Got: got}
	}
	faultThat := func(drawn bool, times int) checker.FiredFault {
		return checker.FiredFault{Fault: history.Fault{Number: 1, Drawn: drawn}, Times: times}
	}
	judged := func(f checker.FiredFault) checker.Judgement {
		return checker.Judgement{History: history.New(history.Header{}), Faults: []checker.FiredFault{f}}
	}
	tests := []struct {
		name string
		give Outcome
		want Status
	}{
		{"nothing expected", Outcome{}, NothingExpected},
		{"nothing expected, and a fault never fired", Outcome{Judgement: judged(faultThat(false, 0))}, Inconclusive},
		{"nothing expected, and every fault fired", Outcome{Judgement: judged(faultThat(false, 1))}, NothingExpected},
		{"nothing expected, and a drawn fault never fired", Outcome{Judgement: judged(faultThat(true, 0))}, NothingExpected},
		{"as expected", Outcome{Expected: []Expected{expect("kept", checker.Kept), expect("broken", checker.Broken)}}, Met},
		{"broken instead of kept", Outcome{Expected: []Expected{expect("kept", checker.Broken)}}, Missed},
		{"kept instead of broken", Outcome{Expected: []Expected{expect("broken", checker.Kept)}}, Missed},
		{"unknown instead of kept", Outcome{Expected: []Expected{expect("kept", checker.Unknown)}}, Inconclusive},
		{"unknown instead of broken", Outcome{Expected: []Expected{expect("broken", checker.Unknown)}}, Inconclusive},
		{"the worst counts", Outcome{Expected: []Expected{expect("kept", checker.Broken), expect("kept", checker.Unknown)}}, Missed},
		{"untested", Outcome{Judgement: checker.Judgement{Untested: say.NeverFired.With(1, say.Both{})}, Expected: []Expected{expect("kept", checker.Kept)}}, Inconclusive},
		{"untested and broken", Outcome{Judgement: checker.Judgement{Untested: say.WasCutShort.With("")}, Expected: []Expected{expect("kept", checker.Broken)}}, Missed},
		{"not played", Outcome{Err: errors.New("no server")}, Failed},
	}
	for _, tt := range tests {
		if got := tt.give.Status(); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A program that removes another client's entry fails every story that expects something, unless
// the story says otherwise. A lock that the story names does not.
func TestAProgramMustNotRob(t *testing.T) {
	program := must.Get(locks.NewProgram("", []string{"mylock"}, ""))(t)
	every := func(property, verdict string) plan.Expectation {
		return plan.Expectation{Lock: plan.EveryLock, Property: property, Verdict: verdict}
	}
	judged := func(v checker.Verdict) checker.Judgement {
		return checker.Judgement{Findings: []checker.Finding{{Property: checker.MutualExclusionID, Verdict: checker.Broken}, {Property: checker.OwnerOnlyReleaseID, Verdict: v}}}
	}
	overlap, robbed := every(checker.MutualExclusionID, "broken"), every(checker.OwnerOnlyReleaseID, "broken")
	for _, tt := range []struct {
		name   string
		lock   string
		expect []plan.Expectation
		got    checker.Verdict
		want   Status
	}{
		{"it robs", program.ID, []plan.Expectation{overlap}, checker.Broken, Missed},
		{"it does not", program.ID, []plan.Expectation{overlap}, checker.Kept, Met},
		{"unknown", program.ID, []plan.Expectation{overlap}, checker.Unknown, Met},
		{"the story says so", program.ID, []plan.Expectation{overlap, robbed}, checker.Broken, Met},
		{"the story expects nothing", program.ID, []plan.Expectation{every("", plan.Anything)}, checker.Broken, NothingExpected},
		{"a lock of ours", "set-nx-ex-del", []plan.Expectation{overlap}, checker.Broken, Met},
	} {
		p := plan.Default()
		p.Programs, p.Expect = []locks.Variant{program}, tt.expect
		j := judged(tt.got)
		out := Outcome{Judgement: j, Expected: compare(&p, tt.lock, j)}
		if got := out.Status(); got != tt.want {
			t.Errorf("%s: status %d, want %d: %+v", tt.name, got, tt.want, out.Expected)
		}
	}
}

// Each seed is played once.
func TestSeedsPlaysEachSeed(t *testing.T) {
	p := plan.Default()
	p.Name = "seeds"
	played := map[uint64]int{}
	must.Do(t, Seeds(context.Background(), func() World { return sim.New() }, &p, "set-nx-lua", 7, 20, 2, func(o *Outcome) {
		if got := o.Judgement.History.Header.Seed; got != o.Seed {
			t.Errorf("seed %d was played as %d", got, o.Seed)
		}
		played[o.Seed]++
	}))
	for seed := uint64(7); seed < 27; seed++ {
		if played[seed] != 1 {
			t.Errorf("seed %d was played %d times", seed, played[seed])
		}
	}
	if len(played) != 20 {
		t.Errorf("%d seeds were played, want 20", len(played))
	}
}
