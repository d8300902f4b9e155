package explain

import (
	"slices"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// An assumption cites the faults that acted at some time between two instants: at most three, the
// latest ones.
func TestFaultsBetweenTwoInstants(t *testing.T) {
	// At 3 s another fault ends, and then another client thaws.
	give := newTape(`1 A froze as=early; 1.1 A fault-began value=1 as=cut; 2 A thawed; 2.5 B froze as=long
		3 A fault-ended value=2; 3.1 A thawed; 6 A crashed as=dead; 7 A restarted; 8 A fault-ended value=1
		9 C clock-changed as=step; 9.5 B thawed`)
	q := newInquiry(timeline.Of(give.h), 0, 0)
	for _, tt := range []struct {
		from, to int64 // in milliseconds
		want     string
	}{
		{0, 999, ""},
		{0, 1000, "early"},
		{0, 2400, "early cut"},
		{2000, 2400, "early cut"}, // A thawed at 2000, so it was still frozen then
		{2001, 5000, "cut long"},
		{2001, 8500, "cut long dead"},
		{2001, 10_000, "long dead step"}, // four acted
		{7001, 8999, "cut long"},
		{9501, 10_000, "step"},
	} {
		var want []int32
		for _, name := range strings.Fields(tt.want) {
			want = append(want, give.Event(name))
		}
		if got := q.faultsIn(history.Instant(tt.from)*ms, history.Instant(tt.to)*ms); !slices.Equal(got, want) {
			t.Errorf("from %d to %d ms: events %v, want %v: %s", tt.from, tt.to, got, want, tt.want)
		}
	}
}
