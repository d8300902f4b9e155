package crosscheck

import (
	"time"

	"lockstep/internal/campaign/results"
)

// Measured is the comparison for other programs.
func (c *Comparison) Measured() *results.Worlds {
	out := results.NewWorlds()
	out.Backend, out.ScalePPM, out.Times = c.Backend, c.ScalePPM, c.Times
	out.Agree, out.Differ, out.Untested, out.NotPlayed = c.Count(results.Agrees), c.Count(results.Differs), c.Count(results.Untested), c.Count(results.NotPlayed)
	for i := range c.Cells {
		out.Cells = append(out.Cells, c.Cells[i].measured(c.ScalePPM))
	}
	for _, s := range c.Samples {
		both := func(simulated, real []time.Duration) results.InBoth {
			return results.InBoth{Real: timesOf(real), Simulated: timesOf(simulated)}
		}
		out.Durations[s.Lock] = results.Durations{
			Failover: both(s.Simulated.Failovers, s.Real.Failovers),
			Hold:     both(s.Simulated.Holds, s.Real.Holds),
			Wait:     both(s.Simulated.Waits, s.Real.Waits),
		}
	}
	return out
}

// measured is the cell for other programs; usual is the scale of most cells.
func (c *Cell) measured(usual int64) results.WorldCell {
	out := results.WorldCell{
		Lock: c.Lock, Fault: c.Fault, Story: c.Story, Agreement: c.Agreement, Script: c.Script.English(),
		Simulated: string(c.Simulated), Agreeing: c.Agreeing(), Why: c.Why.English(),
	}
	if c.Plan != nil && c.ScalePPM != usual {
		out.ScalePPM = c.ScalePPM
	}
	for _, p := range c.Pairs {
		simulated, real := p.Shows()
		out.Runs = append(out.Runs, results.WorldRun{
			Seed: p.Seed, Simulated: simulated, Real: real, Agreement: p.Agreement(), History: p.History,
		})
	}
	return out
}

func timesOf(sorted []time.Duration) results.Times {
	if len(sorted) == 0 {
		return results.Times{}
	}
	at := func(percent int) int64 { return sorted[(len(sorted)*percent+99)/100-1].Microseconds() }
	return results.Times{Count: len(sorted), P50: at(50), P99: at(99), Max: at(100)}
}
