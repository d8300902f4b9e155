package matrixpage

import (
	"strconv"

	"lockstep/internal/say"
)

// harmView is how often a lock breaks or is stuck, or a column breaks locks; Checked counts no overlap that a check of
// tokens makes harmless.
type harmView struct{ Bad, Checked int }

func (h harmView) of(checked bool) int {
	if checked {
		return h.Checked
	}
	return h.Bad
}

func (h *harmView) add(o harmView) { h.Bad, h.Checked = h.Bad+o.Bad, h.Checked+o.Checked }

// numberView is a number and when it is shown: always, as it is, or with a check of tokens.
type numberView struct{ Class, Says string }

// Both says a number, and the other one where the resource checks tokens.
func (v *matrixView) Both(h harmView) []numberView {
	return numbers(h, func(n int) string { return strconv.Itoa(n) })
}

// SomeOf is the same of all locks.
func (v *matrixView) SomeOf(h harmView) []numberView {
	return numbers(h, func(n int) string { return say.SomeLocksOf.With(say.Number(n), say.Number(v.Rows)).In(v.language) })
}

func numbers(h harmView, in func(int) string) []numberView {
	if h.Bad == h.Checked {
		return []numberView{{"", in(h.Bad)}}
	}
	return []numberView{{"as", in(h.Bad)}, {"with", in(h.Checked)}}
}
