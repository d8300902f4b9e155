package matrixpage

import (
	"strings"

	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// KindsOf lists the kinds of faults of the walk in a column.
func (v *view) KindsOf(c *page.Column) say.List {
	var all say.List
	for _, k := range c.Kinds {
		if k.During == "" {
			all = append(all, say.Verbatim(k.Name))
		} else {
			all = append(all, say.KindDuring.With(say.Verbatim(k.Name), say.Text(k.During)))
		}
	}
	return all
}

// Besides lists the further findings of a cell: other letters, damage, and the result of the walk.
func (c *Cell) Besides() (out []say.Phrase) {
	add := func(p say.Phrase) { out = append(out, p) }
	if len(c.Also) > 0 {
		var also []string
		for _, l := range c.Also {
			also = append(also, string(l))
		}
		add(say.FoundBesides.With(say.Verbatim(sanitize.Text(strings.Join(also, ", "), sanitize.MaxName))))
	}
	if c.DamagedBy != "" {
		add(say.DamagedBy.With(say.Verbatim(c.DamagedBy)))
		if c.Walk != nil && !c.Walk.Damages {
			add(say.Text("No single fault of these kinds damaged it in the exhaustive search: this run has more servers, more faults at once, or other timings."))
		}
	}
	if c.NotExpected != "" && c.Letter.Harms() {
		add(say.LeftOutOfAnswers.With(say.Verbatim(c.NotExpected)))
	}
	w := c.Walk
	if w == nil {
		return out
	}
	add(say.WalkedOfCell.With(say.Grouped(w.Schedules), say.Grouped(w.Vain)))
	if w.Cut > 0 {
		add(say.WalkedWithoutEnd.With(say.Grouped(w.Cut)))
	}
	return out
}
