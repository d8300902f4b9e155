package matrix

import "lockstep/internal/campaign/results"

// Measured is the matrix for other programs: the finished cells.
func (m *Matrix) Measured() *results.Matrix {
	out := results.NewMatrix(m.Backend, m.Seeds)
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Letter == "" {
			continue // unfinished
		}
		one := results.Cell{
			Lock: c.Lock, Fault: c.Fault, Letter: string(c.Letter), Runs: c.Runs, Untested: c.Untested,
			Broken: c.Broken, Stuck: c.Stuck, Rate: c.Rate, Low: c.Low, High: c.High,
			Scripted: c.Scripted.measured(), Worst: c.Worst.measured(), Note: c.Note.English(),
			Also: []string{}, Damage: c.Damaged(), DamagedBy: c.DamagedBy,
		}
		for _, l := range c.Also() {
			one.Also = append(one.Also, string(l))
		}
		if w := c.Walked; w != nil {
			one.Walked, one.NoEffect, one.Cut = &w.Schedules, w.Vain, w.Cut
		}
		if c.Story != nil {
			one.Story = c.Story.Name
		}
		out.Cells = append(out.Cells, one)
	}
	return out
}

func (s *Sighting) measured() *results.Sighting {
	if s == nil {
		return nil
	}
	return &results.Sighting{Letter: string(s.Letter), Script: s.Name.English(), Seed: s.Seed, Hash: s.Hash}
}
