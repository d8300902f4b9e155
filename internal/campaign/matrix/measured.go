package matrix

import (
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
)

// Measured is the matrix for other programs: the finished cells.
func (m *Matrix) Measured() *results.Matrix {
	out := results.NewMatrix(m.Backend, m.Seeds)
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Letter != "" {
			out.Cells = append(out.Cells, c.Measured())
		}
	}
	return out
}

// Measured is the cell for other programs.
func (c *Cell) Measured() results.Cell {
	out := results.Cell{
		Lock: c.Lock, Fault: c.Fault, Letter: c.Letter, Runs: c.Runs, Untested: c.Untested,
		Broken: c.Broken, Stuck: c.Stuck, Rate: c.Rate, Low: c.Low, High: c.High,
		Scripted: c.Scripted.measured(), Worst: c.Worst.measured(), Note: c.Note.English(),
		Also: append([]checker.Letter{}, c.Also()...), Damage: c.Damaged(), DamagedBy: c.DamagedBy,
	}
	if w := c.Walked; w != nil {
		out.Walked, out.NoEffect, out.Cut = &w.Schedules, w.Vain, w.Cut
	}
	if c.Story != nil {
		out.Story = c.Story.Name
	}
	return out
}

func (s *Sighting) measured() *results.Sighting {
	if s == nil {
		return nil
	}
	return &results.Sighting{Letter: s.Letter, Script: s.Name.English(), Seed: s.Seed, Hash: s.Hash}
}
