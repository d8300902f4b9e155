package bundle

import (
	_ "embed"
	"fmt"

	"lockstep/internal/rate"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// Sweep is what the page of a sweep shows: for each lock, where a property holds.
type Sweep struct {
	Language     say.Language
	Title, Story string
	Property     string
	Seeds        int    // for each point
	Replay       string // the command line that measures it again
	Maps         []SweepMap
}

// SweepMap is the map of one lock.
type SweepMap struct {
	Lock   string
	XName  string // with its unit, as a label
	YName  string // "" when there is one axis only
	XTicks []string
	YTicks []string    // one empty text when there is one axis only
	Cells  []SweepCell // row by row, from the first tick of Y on
}

// SweepCell is one point. Rates are in millionths, with their 95 % interval.
type SweepCell struct {
	Broken, Tested, Untested int
	Rate, Low, High          int64
	FirstBroke               uint64 // the lowest seed that breaks the property; 0 when none does
}

// Says is what to take away from a map, in one sentence.
func (m *SweepMap) Says(property string, l say.Language) string {
	safe, broken, untested := m.count()
	lock, what := say.Verbatim(clean.Text(m.Lock, clean.MaxName)), say.Verbatim(clean.Text(property, clean.MaxName))
	says := say.KeepsInSome.With(lock, what, say.Number(safe), say.Number(broken))
	switch {
	case untested == len(m.Cells):
		says = say.MapIsEmpty.With(lock, what)
	case broken == 0:
		says = say.KeepsInAll.With(lock, what, say.Number(safe))
	case safe == 0:
		says = say.BreaksInAll.With(lock, what, say.Number(broken))
	}
	return says.In(l)
}

func (m *SweepMap) count() (safe, broken, untested int) {
	for _, c := range m.Cells {
		switch {
		case c.Tested == 0:
			untested++
		case c.Broken > 0:
			broken++
		default:
			safe++
		}
	}
	return safe, broken, untested
}

// Share is the rate in words: what was not tested has none.
func (c *SweepCell) Share() string {
	if c.Tested == 0 {
		return "?"
	}
	return rate.Percent(c.Rate)
}

// Short is the share as it stands in a cell of the map, in whole percents; a share
// that is not nothing never reads 0.
func (c *SweepCell) Short() string {
	percent := (c.Rate + 5_000) / 10_000
	switch {
	case c.Tested == 0:
		return "?"
	case c.Broken > 0 && percent == 0:
		return "<1"
	case c.Broken < c.Tested && percent == 100:
		return ">99"
	}
	return fmt.Sprint(percent)
}
