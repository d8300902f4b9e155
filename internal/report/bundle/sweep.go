package bundle

import (
	"fmt"
	"slices"

	"lockstep/internal/campaign/sweep"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Sweep is the result of a sweep: for each lock, where a property holds.
type Sweep struct {
	Language say.Language
	Plan     *plan.Plan
	Property string
	First    uint64 // seed
	Seeds    int    // for each point
	Replay   string // the command line that measures it again
	Maps     []sweep.Map
}

// Tested reports whether any run put the property to the test.
func (s *Sweep) Tested() bool {
	return slices.ContainsFunc(s.Maps, func(m sweep.Map) bool {
		_, _, untested := countCells(&m)
		return untested < len(m.Cells)
	})
}

// Over counts the runs that were played.
func (s *Sweep) Over() (n int) {
	for i := range s.Maps {
		for k := range s.Maps[i].Cells {
			n += s.Maps[i].Cells[k].Tested() + s.Maps[i].Cells[k].Untested
		}
	}
	return n
}

// MapSays sums up a map in one sentence.
func MapSays(m *sweep.Map, l say.Language) string {
	safe, broken, untested := countCells(m)
	lock, what := say.Verbatim(sanitize.Text(m.Lock, sanitize.MaxName)), say.Property(sanitize.Text(m.Property, sanitize.MaxName))
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

func countCells(m *sweep.Map) (safe, broken, untested int) {
	for i := range m.Cells {
		switch c := &m.Cells[i]; {
		case c.Tested() == 0:
			untested++
		case c.Broken > 0:
			broken++
		default:
			safe++
		}
	}
	return safe, broken, untested
}

// AxisName names an axis for people, clean; "" for nil.
func AxisName(a *plan.Axis) string {
	if a == nil {
		return ""
	}
	name := a.Name
	if a.Unit == plan.UnitCount { // its values have no unit
		name += " (number)"
	}
	return sanitize.Text(name, sanitize.MaxName)
}

// Ticks are the values of an axis, each with its unit; one empty text for nil.
func Ticks(a *plan.Axis) []string {
	if a == nil {
		return []string{""}
	}
	out := make([]string, len(a.Values))
	for i, v := range a.Values {
		out[i] = a.Say(v)
	}
	return out
}

// ShortShare is the share of broken runs in whole percents, for a cell of a map. Only a share of
// exactly 0 or 1 reads 0 or 100.
func ShortShare(c *sweep.Cell) string {
	share, _, _ := c.Rate()
	percent := (share + 5_000) / 10_000
	switch {
	case c.Tested() == 0:
		return "?"
	case c.Broken > 0 && percent == 0:
		return "<1"
	case c.Broken < c.Tested() && percent == 100:
		return ">99"
	}
	return fmt.Sprint(percent)
}

// Share is the share of broken runs with its 95 % interval, in words; "?" if nothing was tested.
func Share(c *sweep.Cell) (share, low, high string) {
	ppm, least, most := c.Rate()
	if share = rate.Percent(ppm); c.Tested() == 0 {
		share = "?"
	}
	return share, rate.Percent(least), rate.Percent(most)
}
