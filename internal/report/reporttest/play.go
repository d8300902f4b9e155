package reporttest

import (
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/sim"
)

// Play plays a scenario in the simulator.
func Play(t testing.TB, p *plan.Plan, seed uint64) *run.Result {
	t.Helper()
	world := func() run.World { return sim.New() }
	return must.Get(run.All(t.Context(), world, p, seed, sim.Backend))(t)
}
