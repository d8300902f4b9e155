package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/timeline"
)

// A fault is shown on the nodes that it hits, for as long as it lasts: the smaller side of a
// partition, the holder at that moment, the node of a clock.
func TestFaultSpans(t *testing.T) {
	tests := []struct {
		name  string
		fault history.Fault
		node  string
		want  string
	}{
		{"a client and the store", history.Fault{Verb: "partition", Sides: [][]string{{"A"}, {"store"}}}, "-", "A 100-300 cut"},
		{"the smaller side", history.Fault{Verb: "partition", Sides: [][]string{{"A", "B"}, {"redis-1"}}}, "-", "redis-1 100-300 cut"},
		{"the holder", history.Fault{Verb: "cut", Sides: [][]string{{"the holder"}, {"store"}}}, "-", "B 100-300 cut"},
		{"the primary", history.Fault{Verb: "partition", Sides: [][]string{{"A", "B"}, {"the primary"}}}, "-", "redis-1 100-300 cut"},
		{"a clock", history.Fault{Verb: "drift-clock"}, "redis-1", "redis-1 100-300"},
		{"work that is slow until it is over", history.Fault{Verb: "slow"}, "B", "B 100-200"},
		{"a pause is shown by its freeze", history.Fault{Verb: "pause"}, "A", ""},
	}
	for _, tt := range tests {
		w := reporttest.NewWriter("set-nx-lua", "A", "B")
		tt.fault.Number = 1
		w.H.Header.Faults = []history.Fault{tt.fault}
		w.Write("10ms B acquired; 100ms " + tt.node + " fault-began value=1; 200ms B releasing; 300ms " + tt.node + " fault-ended value=1")
		var got []string
		for _, b := range bundle.BarsOf(timeline.Of(w.H)).FaultSpans {
			cut := ""
			if b.Cut {
				cut = " cut"
			}
			got = append(got, fmt.Sprintf("%s %d-%d%s", w.H.Name(b.Node), w.H.Events[b.From].At.Duration().Milliseconds(), w.H.Events[b.To].At.Duration().Milliseconds(), cut))
		}
		if g := strings.Join(got, ", "); g != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, g, tt.want)
		}
	}
}
