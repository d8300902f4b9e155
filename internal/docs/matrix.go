package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"lockstep/internal/checker"
	"lockstep/internal/locks"
)

// Matrix is what `simulate matrix --json` has printed.
type Matrix struct {
	Schema  int          `json:"schema"`
	Backend string       `json:"backend"`
	Seeds   int          `json:"seeds"`
	Cells   []MatrixCell `json:"cells"`
}

// MatrixCell is one lock under one kind of fault. Rates are shares of runs, with
// their 95 % interval.
type MatrixCell struct {
	Lock   string  `json:"lock"`
	Fault  string  `json:"fault"`
	Letter string  `json:"letter"`
	Runs   int     `json:"runs"`
	Rate   float64 `json:"rate"`
	Low    float64 `json:"rate_low"`
	High   float64 `json:"rate_high"`
	Note   string  `json:"note"`
}

// ReadMatrix reads a stored matrix.
func ReadMatrix(data []byte) (*Matrix, error) {
	m := &Matrix{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("is no matrix: %w", err)
	}
	if m.Schema != 1 || len(m.Cells) == 0 {
		return nil, errors.New("is no matrix: it has no cells, or another schema than 1")
	}
	for i := range m.Cells {
		if c := &m.Cells[i]; !printable(c.Lock, c.Fault, c.Letter, c.Note) {
			return nil, fmt.Errorf("is no matrix: cell %d has a character that no page shows", i+1)
		}
	}
	return m, nil
}

// printable reports whether nothing in some texts moves a cursor or turns the direction of
// writing. What our program has measured has no such thing.
func printable(texts ...string) bool {
	for _, s := range texts {
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return false
		}
	}
	return true
}

// letters says what the letters of the matrix mean.
var letters = map[string]string{"-": "the lock has no step that the fault could hit"}

func init() {
	for _, l := range checker.Letters {
		letters[string(l.Letter)] = l.Means
	}
}

// matrixRow is a lock's row of the matrix.
func (w *writer) matrixRow(v locks.Variant) string {
	if v.CheckSimulated() != nil {
		return "The matrix is measured in the simulator, which cannot play libraries."
	}
	lock := v.ID
	measure := "simulate matrix --lock " + lock
	if w.Matrix == nil {
		return "No measured matrix is stored in " + code("docs/matrix.json") + ". This measures the row:\n\n" + block("", measure)
	}
	var rows [][]string
	for _, column := range w.Columns {
		for _, c := range w.Matrix.Cells {
			if c.Lock != lock || c.Fault != column.Code {
				continue
			}
			rate := ""
			if c.Letter != "-" {
				rate = fmt.Sprintf("%s (%s to %s)", percent(c.Rate), percent(c.Low), percent(c.High))
			}
			rows = append(rows, []string{
				code(c.Fault) + " " + text(column.Name), "**" + text(c.Letter) + "** " + letters[c.Letter], fmt.Sprint(c.Runs), rate, text(c.Note),
			})
		}
	}
	if len(rows) == 0 {
		return "The matrix in " + code("docs/matrix.json") + " is older than this lock. This measures the row:\n\n" + block("", measure)
	}
	return table([]string{"fault", "worst that was seen", "runs", "broken or stuck (95 %)", "note"}, rows) +
		fmt.Sprintf("\nMeasured with %d random variations of each script; the letter is the worst of all runs. Again:\n\n", w.Matrix.Seeds) +
		block("", measure+fmt.Sprintf(" --seeds %d", w.Matrix.Seeds))
}

func percent(share float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*share), ".0") + " %"
}
