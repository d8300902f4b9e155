package faults_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/say"
)

// A stored history may have any values: each verb can be told with missing and with wrong
// arguments.
func TestHostileValuesAreDescribed(t *testing.T) {
	for _, s := range faults.All() {
		for _, rest := range []string{
			``, `,"value":"\u202e\u0000{x}"`, `,"sides":[[],[]]`, `,"sides":[["A"]]`, `,"sides":[null,["{"]]`, `,"choices":{"half":"","x":"y"}`,
			`,"durations_ns":{"by":-9223372036854775808},"rates_ppm":{"by":-1}`, `,"when":{"moment":"enters","subject":"","nth":-1,"round":-3}`,
			`,"when":{"at_ns":-5,"every_ns":-1}`, `,"end":{"for_ns":-1}`, `,"end":{"until":{"at_ns":3}}`, `,"end":{"until":{"moment":"wakes"}}`, `,"end":{"until":null,"forever":true}`,
		} {
			values := history.Values(`{"verb":"` + s.Name + `"` + rest + `}`)
			if !json.Valid([]byte(values)) {
				t.Fatalf("no JSON: %s", values)
			}
			for _, l := range []say.Language{say.English, say.Chinese} {
				if told := faults.Sentence(values, "its text").In(l); strings.TrimSpace(told) == "" {
					t.Errorf("%s: nothing is told in %s", values, l)
				}
				if f, ok := faults.Of(values); ok {
					_ = f.Action().In(l)
				}
			}
		}
	}
}

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
