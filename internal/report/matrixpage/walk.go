package matrixpage

import (
	"strings"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// KindsOf lists the kinds of faults of the walk in a column.
func (v *view) KindsOf(c *Column) say.List {
	var all say.List
	for _, k := range c.Kinds {
		if during := k.While(); during == "" {
			all = append(all, faultkind.Called(k.Kind))
		} else {
			all = append(all, say.KindDuring.With(faultkind.Called(k.Kind), say.Text(during)))
		}
	}
	return all
}

// Besides lists the further findings of a cell: other letters, damage, and the result of the walk.
func (c *Cell) Besides() (out []say.Phrase) {
	add := func(p say.Phrase) { out = append(out, p) }
	if len(c.Also) > 0 {
		also := each.Map(c.Also, func(l checker.Letter) string { return string(l) })
		add(say.FoundBesides.With(say.Verbatim(sanitize.Text(strings.Join(also, ", "), sanitize.MaxName))))
	}
	if c.DamagedBy != "" {
		add(say.DamagedBy.With(say.Verbatim(c.DamagedBy)))
		if c.Walked != nil && !c.WalkDamages {
			add(say.Text("No single fault of these kinds damaged it in the exhaustive search: this run has more servers, more faults at once, or other timings."))
		}
	}
	if c.NotExpected != "" && c.Letter.Harms() {
		add(say.LeftOutOfAnswers.With(say.Verbatim(c.NotExpected)))
	}
	if c.Walked == nil {
		return out
	}
	add(say.WalkedOfCell.With(say.Grouped(*c.Walked), say.Grouped(c.NoEffect)))
	if c.Cut > 0 {
		add(say.WalkedWithoutEnd.With(say.Grouped(c.Cut)))
	}
	return out
}
