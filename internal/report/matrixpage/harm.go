package matrixpage

import (
	"strconv"

	"lockstep/internal/say"
)

// harmView counts the cells of a lock or a column that are broken or stuck. Checked leaves out overlaps
// that a check of tokens makes harmless.
type harmView struct{ Bad, Checked int }

func (h harmView) of(checked bool) int {
	if checked {
		return h.Checked
	}
	return h.Bad
}

func (h *harmView) add(o harmView) { h.Bad, h.Checked = h.Bad+o.Bad, h.Checked+o.Checked }

// numberView is a number and when it is shown: always, or depending on whether tokens are checked.
type numberView struct{ Class, Says string }

// Both returns the number of cells, without and with a check of tokens.
func (v *matrixView) Both(h harmView) []numberView { return numbers(h, strconv.Itoa) }

// SomeOf is Both with the number of all locks.
func (v *matrixView) SomeOf(h harmView) []numberView {
	return numbers(h, func(n int) string { return say.SomeLocksOf.With(say.Number(n), say.Number(v.Rows)).In(v.language) })
}

func numbers(h harmView, in func(int) string) []numberView {
	if h.Bad == h.Checked {
		return []numberView{{"", in(h.Bad)}}
	}
	return []numberView{{"as", in(h.Bad)}, {"with", in(h.Checked)}}
}
