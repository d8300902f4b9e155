package matrix

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/say"
)

// Record is what the runs of a cell have shown, before anything is concluded from it: what one
// machine tells another of a cell. With the scripts, which any machine can make, it is the cell.
type Record struct {
	Lock     string        `json:"lock"`
	Fault    string        `json:"fault"`
	Runs     int           `json:"runs"`
	Untested int           `json:"untested"`
	Broken   int           `json:"broken"`
	Stuck    int           `json:"stuck"`
	Varied   int           `json:"varied"`
	Bad      int           `json:"bad"`
	Seen     [letters]bool `json:"seen"`
	Scripts  []Sight       `json:"scripts,omitempty"`
	Scripted *Sight        `json:"scripted,omitempty"`
	Worst    *Sight        `json:"worst,omitempty"`
	Damaged  say.Both      `json:"damaged_by"`
	Why      say.Both      `json:"why"`
}

// Sight is a Sighting by the number of its script.
type Sight struct {
	Script int            `json:"script"`
	Seed   uint64         `json:"seed"`
	Letter checker.Letter `json:"letter"`
	Hash   string         `json:"hash"`
}

// Records are the records of the cells that were measured.
func (m *Matrix) Records() []Record {
	out := []Record{}
	for i := range m.Cells {
		if c := &m.Cells[i]; c.Letter != "" {
			c.record.Lock, c.record.Fault = c.Lock, c.Fault
			out = append(out, c.record)
		}
	}
	return out
}

func (s *Sighting) sight() *Sight {
	if s == nil {
		return nil
	}
	return &Sight{Script: s.Script, Seed: s.Seed, Letter: s.Letter, Hash: s.Hash}
}

// recorded is the record of a cell from which nothing was concluded yet.
func (c *Cell) recorded() Record {
	r := Record{
		Runs: c.Runs, Untested: c.Untested, Broken: c.Broken, Stuck: c.Stuck, Varied: c.varied, Bad: c.bad, Seen: c.seen,
		Scripted: c.Scripted.sight(), Worst: c.Worst.sight(), Damaged: c.DamagedBy,
	}
	for i := range c.Scripts {
		r.Scripts = append(r.Scripts, *c.Scripts[i].sight())
	}
	if !c.why.Empty() {
		r.Why = say.Both{English: c.why.English(), Chinese: c.why.In(say.Chinese)}
	}
	return r
}

// recall takes the runs of a cell from its record.
func (c *Cell) recall(known []Record, scripts []Script) (err error) {
	at := slices.IndexFunc(known, func(r Record) bool { return r.Lock == c.Lock && r.Fault == c.Fault })
	if at < 0 {
		return fmt.Errorf("nothing is known of %s under %s", c.Lock, c.Fault)
	}
	sighting := func(s *Sight) *Sighting {
		if s == nil {
			return nil
		}
		if s.Script < 0 || s.Script >= len(scripts) {
			err = fmt.Errorf("the record of %s under %s speaks of script %d, and there are %d", c.Lock, c.Fault, s.Script, len(scripts))
			return nil
		}
		of := &scripts[s.Script]
		return &Sighting{Variation: Variation{s.Script, s.Seed}, Letter: s.Letter, Name: of.Name, Hash: s.Hash, script: of}
	}
	r := &known[at]
	c.Runs, c.Untested, c.Broken, c.Stuck, c.varied, c.bad, c.seen = r.Runs, r.Untested, r.Broken, r.Stuck, r.Varied, r.Bad, r.Seen
	c.Scripted, c.Worst, c.DamagedBy = sighting(r.Scripted), sighting(r.Worst), r.Damaged
	for i := range r.Scripts {
		if s := sighting(&r.Scripts[i]); s != nil {
			c.Scripts = append(c.Scripts, *s)
		}
	}
	if r.Why != (say.Both{}) {
		c.why = r.Why.Phrase()
	}
	return err
}

// Kept is what an interrupted measurement has found out about a cell.
type Kept struct {
	Record  Record   `json:"record"`
	Seeds   int      `json:"seeds"`   // variations of each script
	Scripts []string `json:"scripts"` // that were played, by their names
}

func namesOf(scripts []Script) (names []string) {
	for i := range scripts {
		names = append(names, scripts[i].Name.English)
	}
	return names
}

// keptOf is what is kept of a cell; nil when nothing is, or other scripts were played.
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

// keep tells Options.Keep of a cell whose runs are over, unless it told of it before.
func (m *Matrix) keep(c *Cell, scripts []Script, kept *Kept) error {
	if m.o.Keep == nil || kept != nil {
		return nil
	}
	r := c.record
	r.Lock, r.Fault = c.Lock, c.Fault
	m.keeping.Lock()
	defer m.keeping.Unlock()
	return m.o.Keep(Kept{Record: r, Seeds: m.Seeds, Scripts: namesOf(scripts)})
}
