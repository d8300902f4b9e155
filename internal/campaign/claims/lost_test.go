package claims

import (
	"testing"

	"lockstep/internal/history"
)

// Each step is a write: of which version, computed from which.
func TestLostCountsWhatTheLastVersionDoesNotComeFrom(t *testing.T) {
	for _, tt := range []struct {
		name           string
		writes         [][2]int64 // from, to
		lost, accepted int
	}{
		{"no writes", nil, 0, 0},
		{"one after the other", [][2]int64{{0, 1}, {1, 2}, {2, 3}}, 0, 3},
		{"the second has not seen the first", [][2]int64{{0, 1}, {0, 2}}, 1, 2},
		{"one outdated write loses two", [][2]int64{{0, 1}, {1, 2}, {0, 3}, {3, 4}}, 2, 4},
		{"a version that is its own ancestor", [][2]int64{{1, 1}}, 0, 1},
	} {
		h := &history.History{}
		for _, w := range tt.writes {
			h.Events = append(h.Events,
				history.Event{Kind: history.ReadDone, Value: w[0], Cause: history.NoCause},
				history.Event{Kind: history.WriteAccepted, Value: w[1], Cause: int32(len(h.Events))})
		}
		if lost, accepted := Lost(h); lost != tt.lost || accepted != tt.accepted {
			t.Errorf("%s: %d of %d lost, want %d of %d", tt.name, lost, accepted, tt.lost, tt.accepted)
		}
	}
}
