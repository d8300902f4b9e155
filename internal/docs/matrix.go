package docs

import (
	"fmt"
	"strings"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/say"
)

// Cells is a table of the lock's cells; "" if there are none.
func (p lockPage) Cells(m *results.Matrix) string {
	var rows [][]string
	for _, column := range p.Columns {
		for _, c := range m.Cells {
			if c.Lock != p.ID || c.Fault != column.Code {
				continue
			}
			rate := ""
			if c.Letter != checker.LetterNone {
				rate = fmt.Sprintf("%s (%s to %s)", percent(c.Rate), percent(c.Low), percent(c.High))
			}
			searched, note := "", text(c.Note)
			if c.Walked != nil {
				searched = say.Grouped(*c.Walked).In(say.English)
			}
			if c.Story != "" {
				note += ": " + code(c.Story)
			}
			rows = append(rows, []string{
				code(c.Fault) + " " + text(column.Name.English()), worstOf(&c), fmt.Sprint(c.Runs), searched, rate, note,
			})
		}
	}
	return table("fault | worst that was seen | runs | searched | broken or stuck (95 %) | note", rows)
}

// byColumn has a cell for each column of the matrix.
func (w *writer) byColumn(cell func(matrix.Column) string) []string { return each.Map(w.Columns, cell) }

// worstOf is the letter of a cell, with its meaning and other outcomes.
func worstOf(c *results.Cell) string {
	out := "**" + text(string(c.Letter)) + "** "
	for _, l := range checker.CellLetters {
		if l.Letter == c.Letter {
			out += l.Word.English()
		}
	}
	if c.Damage {
		out += "; *damaged*"
	}
	if len(c.Also) > 0 {
		out += "; also " + text(strings.Join(each.Map(c.Also, func(l checker.Letter) string { return string(l) }), ", "))
	}
	return out
}

func percent(share float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*share), ".0") + " %"
}
