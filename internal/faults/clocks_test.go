package faults_test

import (
	"fmt"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/must"
)

// Two faults change clocks. A change that the other one undoes at once has had no effect.
func TestClocksThatAreSetBackAtOnce(t *testing.T) {
	const ms = time.Millisecond
	step := func(fault int, at, by time.Duration) faults.ClockChange {
		return faults.ClockChange{Fault: fault, Node: "A", At: at, By: by}
	}
	rate := func(fault int, at time.Duration, ppm int64) faults.ClockChange {
		return faults.ClockChange{Fault: fault, Node: "A", At: at, PPM: ppm}
	}
	onB := step(2, 1000*ms, -time.Hour)
	onB.Node = "B"
	for _, tt := range []struct {
		name    string
		changes []faults.ClockChange
		want    string
	}{
		{"ahead and back at one instant", []faults.ClockChange{step(1, 0, time.Hour), step(2, 0, -time.Hour)}, "[1 2]"},
		{"ahead and back within a millisecond", []faults.ClockChange{step(1, 0, time.Hour), step(2, ms-1, -time.Hour)}, "[1 2]"},
		{"back after a millisecond", []faults.ClockChange{step(1, 0, time.Hour), step(2, ms, -time.Hour)}, "[]"},
		{"not all the way back", []faults.ClockChange{step(1, 0, 3*ms), step(2, 0, -2*ms)}, "[]"},
		{"nearly all the way back", []faults.ClockChange{step(1, 0, 3*ms), step(2, 0, -3*ms+1)}, "[1 2]"},
		{"on two nodes", []faults.ClockChange{step(1, 1000*ms, time.Hour), onB}, "[]"},
		{"a rate that changes a clock by 999 us", []faults.ClockChange{rate(1, 0, -999), rate(1, 1000*ms, 0), step(2, 0, ms)}, "[1]"},
		{"a rate that changes a clock by 1 ms", []faults.ClockChange{rate(1, 0, -1000), rate(1, 1000*ms, 0), step(2, 0, ms)}, "[]"},
		{"a step does not end a rate", []faults.ClockChange{rate(1, 0, 1000), step(2, 1, time.Hour), rate(1, 1000*ms, 0)}, "[]"},
		{"a rate that is replaced at once", []faults.ClockChange{rate(1, 0, 400_000), rate(2, 0, -400_000)}, "[1]"},
		{"a rate that comes back", []faults.ClockChange{rate(1, 0, 400_000), rate(2, 0, -400_000), rate(1, 1000*ms, 400_000), rate(1, 2000*ms, 0)}, "[]"},
	} {
		l := &lab{}
		e := faults.NewEngine(read(t, "at: 0s, jump-clock: A, by: +1h", "at: 0s, jump-clock: A, by: +1h"), l, l)
		e.Start()
		l.until(0)
		for _, c := range tt.changes {
			e.ClockChanged(c)
		}
		must.Equalf(t, fmt.Sprint(e.WithoutEffect(ms)), tt.want, "%s", tt.name)
	}
}
