package reporttest

import (
	"testing"

	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// Load reads a scenario file.
func Load(t testing.TB, file string) *plan.Plan {
	t.Helper()
	p, err := scenario.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Play plays a scenario in the simulator.
func Play(t testing.TB, p *plan.Plan, seed uint64) *run.Result {
	t.Helper()
	world := func() run.World { return sim.New() }
	r, err := run.All(t.Context(), world, p, seed, sim.Backend)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
