package crosscheck

import (
	"slices"
	"time"

	"lockstep/internal/campaign/results"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Times are durations observed in one world, in true time.
type Times struct {
	// From asking for the lock to having it.
	Waits []time.Duration `json:"waits_ns,omitempty"`
	// From having it to having begun its release, or to its holder's end.
	Holds []time.Duration `json:"holds_ns,omitempty"`
	// From a primary's death to the next primary.
	Failovers []time.Duration `json:"failovers_ns,omitempty"`
}

// Sample is the times of one lock in both worlds, over all runs that were a test in both.
type Sample struct {
	Lock            string
	Simulated, Real Times
}

// add adds the times of one history, except those of the probe.
func (t *Times) add(h *history.History) {
	asked := make([]history.Instant, len(h.Header.Nodes)+1)
	dead := history.Instant(-1)
	for i := range asked {
		asked[i] = -1
	}
	for _, e := range timeline.Of(h).Each(history.Promoted, history.Crashed, history.Waits, history.Acquired) {
		if int(e.Node) >= len(asked) {
			continue
		}
		switch role := h.Role(e.Node); {
		case e.Kind == history.Promoted && dead >= 0:
			t.Failovers = append(t.Failovers, e.At.Sub(dead))
			dead = -1
		case e.Kind == history.Crashed && role == history.RoleStore:
			dead = e.At
		case role != history.RoleClient:
		case e.Kind == history.Waits:
			asked[e.Node] = e.At
		case e.Kind == history.Acquired && asked[e.Node] >= 0:
			t.Waits = append(t.Waits, e.At.Sub(asked[e.Node]))
			asked[e.Node] = -1
		}
	}
	for _, hold := range history.Holds(h) {
		if h.Role(hold.Client) == history.RoleClient {
			t.Holds = append(t.Holds, hold.End.Sub(hold.Start))
		}
	}
}

func (t *Times) join(other *Times) {
	t.Waits = append(t.Waits, other.Waits...)
	t.Holds = append(t.Holds, other.Holds...)
	t.Failovers = append(t.Failovers, other.Failovers...)
}

func (t *Times) sort() {
	slices.Sort(t.Waits)
	slices.Sort(t.Holds)
	slices.Sort(t.Failovers)
}

// Measured is the comparison for other programs.
func (c *Comparison) Measured() *results.Worlds {
	out := &results.Worlds{
		Schema: results.Schema, Backend: c.Backend, ScalePPM: c.ScalePPM, Times: c.Times,
		Agree: c.Count(results.Agrees), Differ: c.Count(results.Differs), Untested: c.Count(results.Untested), NotPlayed: c.Count(results.NotPlayed),
		Cells:     each.Map(c.Cells, func(x Cell) results.WorldCell { return x.measured(c.ScalePPM) }),
		Durations: map[string]results.Durations{},
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
		Simulated: string(c.Simulated), Agreeing: c.Agreeing(), Runs: c.Pairs, Why: c.Why.English(),
	}
	if c.Plan != nil && c.ScalePPM != usual {
		out.ScalePPM = c.ScalePPM
	}
	return out
}

func timesOf(sorted []time.Duration) results.Times {
	at := func(percent int) int64 { return timeline.Quantile(sorted, percent).Microseconds() }
	return results.Times{Count: len(sorted), P50: at(50), P99: at(99), Max: at(100)}
}
