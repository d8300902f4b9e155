package matrixpage

import (
	"strconv"

	"lockstep/internal/each"
	"lockstep/internal/say"
)

// harm counts the cells of a lock or a column that are broken or stuck. Checked leaves out overlaps
// that a check of tokens makes harmless.
type harm struct{ Bad, Checked int }

func (h harm) of(checked bool) int {
	if checked {
		return h.Checked
	}
	return h.Bad
}

func (h *harm) add(l *Lock, c *Cell) {
	if c.Letter.Harms() {
		h.Bad++
		if c.DamagedBy != "" || !l.Tokens || !c.Letter.TwoHold() {
			h.Checked++
		}
	}
}

// Harm counts the columns that harm a lock.
func (l *Lock) Harm() (h harm) {
	for k := range l.Cells {
		h.add(l, &l.Cells[k])
	}
	return h
}

func (l *Lock) damaged() int {
	return each.Count(l.Cells, func(c *Cell) bool { return c.DamagedBy != "" })
}

// Harmed counts the locks that a column harms.
func (v *view) Harmed(column int) (h harm) {
	for i := range v.Locks {
		if l := &v.Locks[i]; !l.Apart && column < len(l.Cells) {
			h.add(l, &l.Cells[column])
		}
	}
	return h
}

// number is a number and when it is shown: always, or depending on whether tokens are checked.
type number struct{ Class, Says string }

// Both returns the number of cells, without and with a check of tokens.
func (v *view) Both(h harm) []number { return numbers(h, strconv.Itoa) }

// SomeOf is Both with the number of all locks.
func (v *view) SomeOf(h harm) []number {
	return numbers(h, func(n int) string { return say.SomeLocksOf.With(say.Number(n), say.Number(v.Rows)).In(v.Language) })
}

func numbers(h harm, in func(int) string) []number {
	if h.Bad == h.Checked {
		return []number{{"", in(h.Bad)}}
	}
	return []number{{"as", in(h.Bad)}, {"with", in(h.Checked)}}
}
