package explain

import (
	"slices"
	"testing"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// An assumption cites the faults that acted at some time between two instants: at most three, the
// latest ones.
func TestFaultsBetweenTwoInstants(t *testing.T) {
	tp := newTape()
	early := tp.add(1000, history.Froze, "A")
	cut := tp.add(1100, history.FaultBegan, "A", value(1))
	tp.add(2000, history.Thawed, "A")
	long := tp.add(2500, history.Froze, "B")
	tp.add(3000, history.FaultEnded, "A", value(2)) // another fault
	tp.add(3100, history.Thawed, "A")               // another client
	dead := tp.add(6000, history.Crashed, "A")
	tp.add(7000, history.Restarted, "A")
	tp.add(8000, history.FaultEnded, "A", value(1))
	step := tp.add(9000, history.ClockChanged, "C")
	tp.add(9500, history.Thawed, "B")
	q := newInquiry(timeline.Of(tp.h), 0, 0)
	for _, tt := range []struct {
		from, to int64 // in milliseconds
		want     []int32
	}{
		{0, 999, nil},
		{0, 1000, []int32{early}},
		{0, 2400, []int32{early, cut}},
		{2000, 2400, []int32{early, cut}}, // A thawed at 2000, so it was still frozen then
		{2001, 5000, []int32{cut, long}},
		{2001, 8500, []int32{cut, long, dead}},
		{2001, 10_000, []int32{long, dead, step}}, // four acted
		{7001, 8999, []int32{cut, long}},
		{9501, 10_000, []int32{step}},
	} {
		at := func(ms int64) history.Instant { return history.Instant(ms * int64(time.Millisecond)) }
		if got := q.faultsIn(at(tt.from), at(tt.to)); !slices.Equal(got, tt.want) {
			t.Errorf("from %d to %d ms: events %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}
