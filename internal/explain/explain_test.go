package explain

import (
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// pauseStory is the lesson of the lease: A freezes, B gets the lock, A writes.
func pauseStory() (*tape, []checker.Finding) {
	t := newTape(`0.011 A acquires; 0.06 A froze value=1; 10.011 redis-1 expired owner=A
		10.03 B acquires as=B; 15.06 A thawed value=1
		15.061 resource write-accepted peer=A value=1 as=write; 15.062 A releasing`, pauseFault)
	a, b, second, write := t.h.Node("A"), t.h.Node("B"), t.Event("B")-1, t.Event("write")
	from, to := t.h.Events[second].At, t.h.End()
	return t, []checker.Finding{
		breaks(checker.MutualExclusionID, from, to, []history.NodeID{b, a}, second),
		breaks(checker.NoStaleWriteID, t.h.Events[write].At, t.h.Events[write].At, []history.NodeID{a, b}, write),
	}
}

func TestViolationsAreMarked(t *testing.T) {
	give, findings := pauseStory()
	var got []Step
	for _, s := range give.steps(findings...) {
		if s.Violation {
			got = append(got, s)
		}
	}
	want := []string{
		"two holders inside: A has been in since 0.012 s",
		"stale write: B has held the lock since 10.031 s",
	}
	if len(got) != len(want) {
		t.Fatalf("got %d marked steps, want %d", len(got), len(want))
	}
	for i := range want {
		must.Equal(t, got[i].Note.English(), want[i])
		if !got[i].Apart || got[i].Belief.English() != "A and B each think they hold it" || got[i].Store.English() != "Redis says B" {
			t.Errorf("belief and store: %+v", got[i])
		}
	}
}

// A violation at an event that is otherwise routine is shown all the same.
func TestViolationForcesAStep(t *testing.T) {
	steps := newTape("0.005 A waits").steps(breaks("fifo", 0, 0, nil, 0))
	if len(steps) != 1 || steps[0].Sentence.English() != "A waits for the lock." || steps[0].Note.English() != "fifo is broken" {
		t.Errorf("got %+v", steps)
	}
}

func TestVerdict(t *testing.T) {
	give, findings := pauseStory()
	tests := []struct {
		name string
		give checker.Judgement
		want string
	}{
		{"broken", checker.Judgement{History: give.h, Findings: findings, Overlap: 4983 * time.Millisecond},
			"set-nx-lua let two clients in at once for 4.983 s and accepted 1 stale write."},
		{"kept", checker.Judgement{History: give.h, Acquired: 1, Findings: []checker.Finding{{Property: "progress", Verdict: checker.Kept}}},
			"set-nx-lua kept every property over 1 acquisition."},
		{"unknown", checker.Judgement{History: give.h, Findings: []checker.Finding{{Property: "progress", Verdict: checker.Unknown, Reason: say.NeverFired.With(1, say.Both{})}}},
			"set-nx-lua broke nothing, but progress is unknown, since fault 1 never fired."},
		{"nothing", checker.Judgement{}, "There is no history to judge."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var account *timeline.Timeline
			if tt.give.History != nil {
				account = timeline.Of(tt.give.History)
			}
			must.Equal(t, Verdict(account, &tt.give).English(), tt.want)
		})
	}
}

func TestStory(t *testing.T) {
	steps := make([]Step, 100)
	for i := range steps {
		steps[i].Event = int32(i)
	}
	steps[60].Violation = true
	got, before, after := Story(steps, 18)
	if len(got) != 18 || before+len(got)+after != 100 {
		t.Fatalf("%d steps, %d before, %d after", len(got), before, after)
	}
	if first, last := got[0].Event, got[17].Event; first > 60 || last < 60 {
		t.Errorf("steps %d to %d leave out the violation at 60", first, last)
	}
}
