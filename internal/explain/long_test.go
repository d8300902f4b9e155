package explain

import (
	"reflect"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Of a story that is too long, the part around the first violation is kept, wherever
// that is, and the rest is counted.
func TestALongStoryIsToldAroundTheFirstViolation(t *testing.T) {
	const rounds = 500
	for _, bad := range []int32{-1, 0, 1, 77, 2*rounds - 2, 2*rounds - 1} {
		h := history.New(history.Header{Nodes: []history.Node{{Name: "A", Role: history.RoleClient}}})
		for i := range rounds {
			at := history.Instant(i) * 1e9
			h.Add(history.Event{At: at, Kind: history.Acquired, Node: 1, Cause: history.NoCause})
			h.Add(history.Event{At: at + 5e8, Kind: history.Releasing, Node: 1, Cause: history.NoCause})
		}
		var findings []checker.Finding
		if bad >= 0 {
			findings = []checker.Finding{{Property: checker.MutualExclusionID, Verdict: checker.Broken, Count: 1,
				Violations: []checker.Violation{{From: h.Events[bad].At, To: h.Events[bad].At, Events: []int32{bad}}}}}
		}
		all, none, also := tell(timeline.Of(h), findings, 10*rounds)
		if len(all) < rounds || none+also > 0 {
			t.Fatalf("%d steps, %d and %d left out", len(all), none, also)
		}
		part, before, after := tell(timeline.Of(h), findings, 100)
		if len(part) == 0 || len(part) > 100 || before+len(part)+after != len(all) {
			t.Fatalf("bad %d: %d steps with %d before and %d after, want %d together", bad, len(part), before, after, len(all))
		}
		for i := range part {
			if !reflect.DeepEqual(part[i], all[before+i]) {
				t.Fatalf("bad %d: step %d is %+v, want %+v", bad, before+i, part[i], all[before+i])
			}
		}
		if bad < 0 && before > 0 {
			t.Errorf("%d steps of a story without a violation are left out before its beginning", before)
		}
		seen := bad < 0
		for i := range part {
			seen = seen || part[i].Violation
		}
		if !seen {
			t.Errorf("bad %d: the violation is left out", bad)
		}
	}
}
