package matrix

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
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

// Records returns the records of the measured cells.
func (m *Matrix) Records() []Record {
	out := []Record{}
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Letter != "" {
			out = append(out, c.record)
		}
	}
	return out
}

// recall takes the runs of a cell from its record, and their scripts from those of this program.
func (c *Cell) recall(known []Record, scripts []Script) error {
	at := slices.IndexFunc(known, func(r Record) bool { return r.Lock == c.Lock && r.Fault == c.Fault })
	if at < 0 {
		return fmt.Errorf("nothing is known of %s under %s", c.Lock, c.Fault)
	}
	c.Record = known[at]
	c.Scripts = slices.Clone(c.Scripts)
	var all []*Sighting
	for i := range c.Scripts {
		all = append(all, &c.Scripts[i])
	}
	for _, of := range []**Sighting{&c.Scripted, &c.Worst} {
		if *of != nil {
			s := **of
			*of, all = &s, append(all, &s)
		}
	}
	for _, s := range all {
		if s.Script < 0 || s.Script >= len(scripts) {
			return fmt.Errorf("the record of %s under %s speaks of script %d, and there are %d", c.Lock, c.Fault, s.Script, len(scripts))
		}
		s.script = &scripts[s.Script]
		s.Name = s.script.Name
	}
	return nil
}

// Kept is the record of a cell in an interrupted measurement.
type Kept struct {
	Record  Record   `json:"record"`
	Seeds   int      `json:"seeds"`   // variations of each script
	Scripts []string `json:"scripts"` // that were played, by their names
}

func namesOf(scripts []Script) (names []string) {
	for i := range scripts {
		names = append(names, scripts[i].Name.English())
	}
	return names
}

// keptOf returns what is kept of a cell; nil for nothing, or when other scripts were played.
func (m *Matrix) keptOf(c *Cell, scripts []Script) *Kept {
	names := namesOf(scripts)
	for i := range m.o.Kept {
		k := &m.o.Kept[i]
		if k.Record.Lock == c.Lock && k.Record.Fault == c.Fault && k.Seeds == m.Seeds && slices.Equal(k.Scripts, names) {
			return k
		}
	}
	return nil
}

// keep calls Options.Keep for a finished cell, unless the cell comes from there.
func (m *Matrix) keep(c *Cell, scripts []Script, kept *Kept) error {
	if m.o.Keep == nil || kept != nil {
		return nil
	}
	m.keeping.Lock()
	defer m.keeping.Unlock()
	return m.o.Keep(Kept{Record: c.record, Seeds: m.Seeds, Scripts: namesOf(scripts)})
}
