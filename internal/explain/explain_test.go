package explain

import (
	"testing"
	"time"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// pauseStory is the lesson of the lease: A freezes, B gets the lock, A writes.
func pauseStory() (*tape, []checker.Finding) {
	t := newTape(pauseFault)
	t.acquires(11, "A")
	t.add(60, history.Froze, "A", value(1))
	t.expires(10_011, "A")
	t.acquires(10_030, "B")
	second := int32(len(t.h.Events)) - 2
	t.add(15_060, history.Thawed, "A", value(1))
	write := t.add(15_061, history.WriteAccepted, "resource", t.peer("A"), value(1))
	t.add(15_062, history.Releasing, "A")
	a, b := t.h.Node("A"), t.h.Node("B")
	from, to := t.h.Events[second].At, t.h.End()
	return t, []checker.Finding{
		breaks(checker.MutualExclusionID, from, to, []history.NodeID{b, a}, second),
		breaks(checker.NoStaleWriteID, t.h.Events[write].At, t.h.Events[write].At, []history.NodeID{a, b}, write),
	}
}

func TestViolationsAreMarked(t *testing.T) {
	give, findings := pauseStory()
	var got []Step
	for _, s := range Steps(timeline.Of(give.h), findings) {
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
		if got[i].Note.English() != want[i] {
			t.Errorf("got %q, want %q", got[i].Note.English(), want[i])
		}
		if !got[i].Apart || got[i].Belief.English() != "A and B each think they hold it" || got[i].Store.English() != "Redis says B" {
			t.Errorf("belief and store: %+v", got[i])
		}
	}
}

// A violation at an event that is otherwise routine is shown all the same.
func TestViolationForcesAStep(t *testing.T) {
	give := newTape()
	i := give.add(5, history.Waits, "A")
	steps := Steps(timeline.Of(give.h), []checker.Finding{breaks("fifo", 0, 0, nil, i)})
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
			if got := Verdict(account, &tt.give).English(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAssumption(t *testing.T) {
	both := func(t *tape) []history.NodeID { return []history.NodeID{t.h.Node("B"), t.h.Node("A")} }
	tests := []struct {
		name string
		give func(t *tape) []checker.Finding
		lag  time.Duration
		want string
	}{
		{"pause", func(t *tape) []checker.Finding {
			p, f := pauseStory()
			*t = *p
			return f
		}, 0, "pause 15.000 s > lease 10.000 s - 0.049 s spent"},
		{"pause after a renewal", func(t *tape) []checker.Finding {
			t.acquires(2, "A")
			t.renews(5_000, "A")
			t.add(5_060, history.Froze, "A", value(1))
			t.expires(15_000, "A")
			t.acquires(15_030, "B")
			from := t.h.End()
			t.add(20_060, history.Thawed, "A", value(1))
			return []checker.Finding{breaks(checker.MutualExclusionID, from, t.h.End(), both(t))}
		}, 0, "pause 15.000 s > lease 10.000 s - 0.060 s spent"},
		{"clock step before the renewal", func(t *tape) []checker.Finding {
			t.acquires(2, "A")
			t.add(1_000, history.ClockChanged, "redis-1", lasts(4*time.Second))
			t.renews(2_000, "A")
			t.expires(9_000, "A")
			t.acquires(9_050, "B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), both(t))}
		}, 0, "lease 10.000 s ended after 7.000 s"},
		{"clock step after the renewal", func(t *tape) []checker.Finding {
			t.acquires(2, "A")
			t.renews(2_000, "A")
			t.add(9_000, history.ClockChanged, "redis-1", lasts(4*time.Second))
			t.expires(9_000, "A")
			t.acquires(9_050, "B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), both(t))}
		}, 0, "clock step 4.000 s > lease 10.000 s - 7.000 s spent"},
		{"overrun", func(t *tape) []checker.Finding {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			from := t.h.End()
			t.add(17_002, history.Releasing, "A")
			return []checker.Finding{breaks(checker.MutualExclusionID, from, t.h.End(), both(t))}
		}, 0, "held for 17.000 s since the grant > lease 10.000 s"},
		{"failover", func(t *tape) []checker.Finding {
			t.withReplica()
			t.acquires(2, "A")
			t.add(102, history.Crashed, "redis-1", value(1))
			t.add(602, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(700, history.Granted, "redis-2", t.owner("B"), lasts(10*time.Second))
			t.add(701, history.Acquired, "B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), both(t))}
		}, 500 * time.Millisecond, "entry created 0.100 s before the crash < replication lag 0.500 s"},
		{"failover after a renewal", func(t *tape) []checker.Finding {
			t.withReplica()
			t.acquires(2, "A")
			t.renews(302, "A")
			t.add(402, history.Crashed, "redis-1", value(1))
			t.add(602, history.Promoted, "redis-2", t.peer("redis-1"))
			t.add(701, history.Acquired, "B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), both(t))}
		}, 500 * time.Millisecond, "entry created 0.400 s before the crash < replication lag 0.500 s"},
		{"failover whose loss is noticed late", func(t *tape) []checker.Finding {
			t.withReplica()
			t.acquires(2, "A")
			t.add(102, history.Crashed, "redis-1", value(1))
			t.add(5_000, history.Forgotten, "redis-1", t.owner("A"), t.text("lock"))
			t.add(5_100, history.Acquired, "B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), both(t))}
		}, 500 * time.Millisecond, "entry created 0.100 s before the crash < replication lag 0.500 s"},
		{"wrong owner", func(t *tape) []checker.Finding {
			t.acquires(2, "A")
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			sent := t.add(12_000, history.Sent, "A", t.peer("redis-1"), t.text("DEL lock"))
			i := t.add(12_102, history.Removed, "redis-1", t.owner("B"), t.peer("A"), cause(sent), t.text("lock"))
			a, b := t.h.Node("A"), t.h.Node("B")
			return []checker.Finding{breaks(checker.OwnerOnlyReleaseID, t.h.End(), t.h.End(), []history.NodeID{a, b}, i)}
		}, 0, "DEL at 12.102 s > own entry's end at 10.002 s (2.100 s later)"},
		{"late reply", func(t *tape) []checker.Finding {
			t.add(2, history.Granted, "redis-1", t.owner("A"), t.text("lock"), lasts(10*time.Second))
			t.expires(10_002, "A")
			t.acquires(10_050, "B")
			t.add(12_002, history.Acquired, "A")
			a, b := t.h.Node("A"), t.h.Node("B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), []history.NodeID{a, b})}
		}, 0, "reply 12.000 s after the grant > lease 10.000 s"},
		{"stuck", func(t *tape) []checker.Finding {
			t.add(2, history.Granted, "redis-1", t.owner("A"), t.text("lock"))
			t.add(9, history.Crashed, "A", value(1))
			i := t.add(160_000, history.GaveUp, "probe")
			return []checker.Finding{breaks(checker.ProgressID, 0, t.h.End(), nil, i)}
		}, 0, "all wait for A's entry of 0.002 s, which never expires; A crashed at 0.009 s"},
		{"nothing broke", func(t *tape) []checker.Finding { return nil }, 0, ""},
		{"no store in the history", func(t *tape) []checker.Finding {
			t.add(2, history.Acquired, "A")
			t.add(20, history.Acquired, "B")
			return []checker.Finding{breaks(checker.MutualExclusionID, t.h.End(), t.h.End(), both(t))}
		}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			give := newTape(pauseFault)
			findings := tt.give(give)
			if got := Assumption(timeline.Of(give.h), findings, tt.lag); got.Formula.English() != tt.want {
				t.Errorf("got %q, want %q", got.Formula.English(), tt.want)
			}
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
