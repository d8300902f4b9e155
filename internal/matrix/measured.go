package matrix

import "lockstep/internal/measured"

// Measured is the matrix for other programs: the cells that are over.
func (m *Matrix) Measured() *measured.Matrix {
	out := measured.NewMatrix(m.Backend, m.Seeds)
	for i := range m.Cells {
		c := &m.Cells[i]
		if c.Letter == "" {
			continue // it was not over when the matrix was interrupted
		}
		out.Cells = append(out.Cells, measured.Cell{
			Lock: c.Lock, Fault: c.Fault, Letter: string(c.Letter), Runs: c.Runs, Untested: c.Untested,
			Broken: c.Broken, Stuck: c.Stuck, Rate: c.Rate, Low: c.Low, High: c.High,
			Scripted: c.Scripted.measured(), Worst: c.Worst.measured(), Note: c.Note.English(),
		})
	}
	return out
}

func (s *Sighting) measured() *measured.Sighting {
	if s == nil {
		return nil
	}
	return &measured.Sighting{Letter: string(s.Letter), Script: s.Name.English, Seed: s.Seed, Hash: s.Hash}
}
