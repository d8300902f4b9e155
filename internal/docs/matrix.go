package docs

import (
	"fmt"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// MatrixRow is a lock's row of the matrix.
func (w *writer) MatrixRow(v locks.Variant) string {
	if v.Library != "" {
		return w.libraryRow(v)
	}
	lock := v.ID
	measure := "simulate matrix --lock " + lock
	if w.Matrix == nil {
		return "No measured matrix is stored in " + code("measurements/matrix.json") + ". This measures the row:\n\n" + block("", measure)
	}
	cells := w.cells(w.Matrix, lock)
	if cells == "" {
		return "The matrix in " + code("measurements/matrix.json") + " is older than this lock. This measures the row:\n\n" + block("", measure)
	}
	return cells +
		fmt.Sprintf("\nMeasured with %d random variations of each script; the letter is the worst of all runs, and of all single faults of these kinds that were searched. ", w.Matrix.Seeds) +
		"*Damaged*: an update was lost, or a stale write came after a newer holder had read, behind a fence where the lock hands out tokens. Again:\n\n" +
		block("", measure+fmt.Sprintf(" --seeds %d", w.Matrix.Seeds))
}

// cells is a table of a lock's cells; "" if there are none.
func (w *writer) cells(m *results.Matrix, lock string) string {
	var rows [][]string
	for _, column := range w.Columns {
		for _, c := range m.Cells {
			if c.Lock != lock || c.Fault != column.Code {
				continue
			}
			rate := ""
			if c.Letter != string(checker.LetterNone) {
				rate = fmt.Sprintf("%s (%s to %s)", percent(c.Rate), percent(c.Low), percent(c.High))
			}
			rows = append(rows, []string{
				code(c.Fault) + " " + text(column.Name.English()), worstOf(&c), fmt.Sprint(c.Runs), walked(&c), rate, noteOf(&c),
			})
		}
	}
	return table("fault | worst that was seen | runs | searched | broken or stuck (95 %) | note", rows)
}

// worstOf is the letter of a cell, with its meaning and other outcomes.
func worstOf(c *results.Cell) string {
	out := "**" + text(c.Letter) + "** "
	for _, l := range checker.CellLetters {
		if string(l.Letter) == c.Letter {
			out += l.Word.English()
		}
	}
	if c.Damage {
		out += "; *damaged*"
	}
	if len(c.Also) > 0 {
		out += "; also " + text(strings.Join(c.Also, ", "))
	}
	return out
}

// walked is the number of schedules of the walk that a cell includes.
func walked(c *results.Cell) string {
	if c.Walked == nil {
		return ""
	}
	return fmt.Sprint(*c.Walked)
}

// noteOf says what caused the letter, and which story of the walk shows it.
func noteOf(c *results.Cell) string {
	if c.Story == "" {
		return text(c.Note)
	}
	return text(c.Note) + ": " + code(c.Story)
}

func percent(share float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*share), ".0") + " %"
}
