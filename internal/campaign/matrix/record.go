package matrix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
)

// Record is the results of the runs of a cell, before any conclusion, for exchange between
// machines. With the scripts, which any machine can make, it determines the cell.
type Record struct {
	Lock      string       `json:"lock"`
	Fault     string       `json:"fault"`
	Runs      int          `json:"runs"`               // that tested something
	Untested  int          `json:"untested"`           // in which the fault never fired, or no clients contended
	Broken    int          `json:"broken"`             // letters V, F and VF
	Stuck     int          `json:"stuck"`              // letter D
	Varied    int          `json:"varied"`             // random variations
	Bad       int          `json:"bad"`                // the broken or stuck among them
	Seen      checker.Seen `json:"seen"`               // letters
	Scripts   []Sighting   `json:"scripts,omitempty"`  // each script as it stands, in the order in which they were tried
	Scripted  *Sighting    `json:"scripted,omitempty"` // the worst of the scripts; nil when none tested anything
	Worst     *Sighting    `json:"worst,omitempty"`    // the worst of all runs, the earliest of these
	DamagedBy string       `json:"damaged_by"`         // the script or the story by which the resource was damaged, see Named; "" when it never was
	Why       string       `json:"why"`                // of the first run that tested nothing
}

// key is what the runs of a cell are kept under: other scripts or variations are another one.
func (c *Cell) key(scripts []Script, seeds int) string {
	names := each.Map(scripts, func(s Script) string { return s.Name.English() })
	return strings.Join(append([]string{c.Lock, c.Fault, strconv.Itoa(seeds)}, names...), "; ")
}

// recall takes the runs of a cell from its record, and their scripts from those of this program.
func (c *Cell) recall(known *campaign.Line, scripts []Script) error {
	if err := known.Decode(&c.Record); err != nil {
		return err
	}
	all := []*Sighting{c.Scripted, c.Worst}
	for i := range c.Scripts {
		all = append(all, &c.Scripts[i])
	}
	for _, s := range slices.DeleteFunc(all, func(s *Sighting) bool { return s == nil }) {
		if s.Script < 0 || s.Script >= len(scripts) {
			return fmt.Errorf("the record of %s under %s has script %d of %d", c.Lock, c.Fault, s.Script, len(scripts))
		}
		s.script = &scripts[s.Script]
		s.Name = s.script.Name
	}
	return nil
}

// Measured is the matrix for other programs: the finished cells.
func (m *Matrix) Measured() *results.Matrix {
	out := &results.Matrix{Schema: results.Schema, Backend: m.Backend, Seeds: m.Seeds, Cells: []results.Cell{}}
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
		out.Walked, out.NoEffect, out.Cut = &w.Walked, w.NoEffect, w.Cut
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
