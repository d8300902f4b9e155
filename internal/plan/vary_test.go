package plan_test

import (
	"slices"
	"testing"
	"time"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/scenario/scenariotest"
)

func parse(t *testing.T, text string) *plan.Plan {
	t.Helper()
	return scenariotest.Parse(t, "x.yaml", "scenario: x\n"+text)
}

const (
	second = int64(time.Second)
	story  = `locks: [set-nx-lua]
servers: {redis: {replicas: 1, lag: 1s}}
clocks: {A: {drift: 7ppm}}
faults:
  - {when: A enters, after: 3s, pause: A, for: 5s}
  - {at: 2s, slow: B, by: 5s}
  - {at: 2s, drift-clock: B, rate: +5%, for: 5s}
  - {at: 2s, lag: 5s, for: 7s}
  - {at: 2s, jump-clock: B, by: -5s}
`
)

// Each kind of axis sets one number, in a copy of the plan.
func TestPointSetsOneNumber(t *testing.T) {
	tests := []struct {
		axis, values string
		value        int64
		want         func(p *plan.Plan) bool
	}{
		{"lease", "[1s, 2s]", 2 * second, func(p *plan.Plan) bool { return p.Lease == 2*time.Second }},
		{"latency", "[1s, 2s]", 2 * second, func(p *plan.Plan) bool {
			return p.Network.Latency.Min == 2*time.Second && p.Network.Latency.IsFixed()
		}},
		{"loss", "[1%, 2%]", 20_000, func(p *plan.Plan) bool { return p.Network.LossPPM == 20_000 }},
		{"replicas", "[1, 2]", 2, func(p *plan.Plan) bool { return p.Redis.Replicas == 2 }},
		{"lag", "[1s, 2s]", 2 * second, func(p *plan.Plan) bool { return p.Redis.Lag == 2*time.Second }},
		{"drift of A", "[1ppm, -2ppm]", -2, func(p *plan.Plan) bool { return p.Clocks[0].DriftPPM == -2 && len(p.Clocks) == 1 }},
		{"offset of B", "[1s, -2s]", -2 * second, func(p *plan.Plan) bool { return p.Clocks[1].Offset == -2*time.Second }},
		{"pause", "[1s, 2s]", 2 * second, func(p *plan.Plan) bool { return p.Faults[0].End.For == 2*time.Second }},
		{"after of pause", "[0s, 2s]", 0, func(p *plan.Plan) bool { return p.Faults[0].Trigger.After == 0 }},
		{"at of slow", "[1s, 3s]", 3 * second, func(p *plan.Plan) bool { return p.Faults[1].Trigger.At == 3*time.Second }},
		{"slow", "[1s, 3s]", 3 * second, func(p *plan.Plan) bool {
			return p.Faults[1].Text == "slow B by 3s at 2s"
		}},
		{"drift-clock", "[100ppm, -200ppm]", -200, func(p *plan.Plan) bool { return p.Faults[2].Text == "drift-clock B rate -200ppm for 5s at 2s" }},
		{"for of drift-clock", "[1s, 3s]", 3 * second, func(p *plan.Plan) bool { return p.Faults[2].End.For == 3*time.Second }},
		{"the 1st lag", "[1s, 3s]", 3 * second, func(p *plan.Plan) bool { return p.Faults[3].Text == "lag 3s for 7s at 2s" }},
		{"jump-clock", "[1s, -3s]", -3 * second, func(p *plan.Plan) bool { return p.Faults[4].Text == "jump-clock B by -3s at 2s" }},
	}
	for _, tt := range tests {
		p := parse(t, story+"vary: {"+tt.axis+": "+tt.values+"}\n")
		before := scenario.Resolved(p)
		if !slices.Contains(p.Vary[0].Values, tt.value) {
			t.Errorf("%s: the values are %v", tt.axis, p.Vary[0].Values)
		}
		got := p.Point(tt.value)
		if !tt.want(got) || len(got.Faults) != 5 || got.Vary != nil {
			t.Errorf("%s = %d:\n%s", tt.axis, tt.value, scenario.Resolved(got))
		}
		if scenario.Resolved(p) != before {
			t.Errorf("%s: the plan itself has changed", tt.axis)
		}
	}
}

// A pause of 0s is left out, and the other faults are renumbered.
func TestPointLeavesOutFaultsOfNoLength(t *testing.T) {
	p := parse(t, story+"vary: {pause: [0s, 1s], the 1st lag: [0s, 1s]}\n")
	got := p.Point(0, 0)
	var names []string
	for i, f := range got.Faults {
		names = append(names, f.Verb.Name())
		if f.Number != i+1 {
			t.Errorf("%s has number %d", f.Text, f.Number)
		}
	}
	if want := []string{"slow", "drift-clock", "jump-clock"}; !slices.Equal(names, want) {
		t.Errorf("left are %v, want %v", names, want)
	}
}

// Unlike a pause of 0s, a restart with a downtime of 0s is a fault, also in the file of that point.
func TestPointKeepsARestartWithoutDowntime(t *testing.T) {
	p := parse(t, `locks: [set-nx-lua]
faults: [{at: 2s, restart: A, down: 700ms}]
vary: {down of restart: [0s, 1s]}
`)
	for value, want := range map[int64]string{0: "restart A down 0s at 2s", second: "restart A down 1s at 2s"} {
		got := p.Point(value)
		if len(got.Faults) != 1 || got.Faults[0].Text != want {
			t.Fatalf("at %v: %+v, want %s", time.Duration(value), got.Faults, want)
		}
		again, err := scenario.Parse("x.yaml", []byte(scenario.Resolved(got)))
		if err != nil || len(again.Faults) != 1 || again.Faults[0].Args.Durations["down"] != time.Duration(value) {
			t.Errorf("at %v the file reads %v:\n%s", time.Duration(value), err, scenario.Resolved(got))
		}
	}
}
