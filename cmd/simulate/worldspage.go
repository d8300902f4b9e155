package main

import (
	"fmt"
	"strings"

	"lockstep/internal/report/page"
	"lockstep/internal/report/worldspage"
	"lockstep/internal/worlds"
)

// page maps a comparison to what its page shows.
func (f *worldsFlags) page(c *worlds.Comparison) *worldspage.Worlds {
	w := &worldspage.Worlds{Language: f.language, Backend: c.Backend, Scale: f.scale, Least: c.LeastPairs(), Most: c.MostPairs(), Replay: f.replay()}
	for _, col := range c.Columns {
		w.Columns = append(w.Columns, page.Column{Code: col.Code, Name: col.Name.In(f.language), Summary: col.Summary.In(f.language)})
	}
	states := map[worlds.Agreement]worldspage.State{
		worlds.Agrees: worldspage.Agree, worlds.Differs: worldspage.Differ,
		worlds.Untested: worldspage.Untested, worlds.NotPlayed: worldspage.NotPlayed,
	}
	for i, v := range c.Locks {
		s := &c.Samples[i]
		row := worldspage.Lock{
			ID: v.ID, Waits: worldspage.BothTimes{Simulated: s.Simulated.Waits, Real: s.Real.Waits},
			Holds:     worldspage.BothTimes{Simulated: s.Simulated.Holds, Real: s.Real.Holds},
			Failovers: worldspage.BothTimes{Simulated: s.Simulated.Failovers, Real: s.Real.Failovers},
		}
		for k := range c.Columns {
			cell := c.Cell(i, k)
			out := worldspage.Cell{
				State: states[cell.Agreement], Script: cell.Script.In(f.language), Agreeing: cell.Agreeing(), Why: cell.Why.In(f.language),
			}
			for _, p := range cell.Pairs {
				out.Simulated, out.Real = append(out.Simulated, p.Simulated), append(out.Real, p.Real)
			}
			row.Cells = append(row.Cells, out)
		}
		w.Locks = append(w.Locks, row)
	}
	return w
}

// replay is the command line that compares the worlds again.
func (f *worldsFlags) replay() string {
	line := fmt.Sprintf("simulate compare-worlds --backend %s --scale %s --times %d", f.backend, f.scale, f.times) + f.narrowed()
	if len(f.letters) > 0 {
		line += " --letter " + strings.Join(f.letters, ",")
	}
	return line
}
