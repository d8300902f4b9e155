package docs

import (
	"fmt"

	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
)

// languages are those of the folders of examples.
var languages = map[string]string{"bash": "bash", "java": "Java", "php": "PHP", "python": "Python", "ruby": "Ruby"}

// programLink is a link to the section of a program.
func programLink(p *results.Library) string { return linkInto(text(p.Lock), "libraries.md", p.Lock) }

// letterRow has the letters of a library, and where it was played.
func (w *writer) letterRow(name, where string, l *results.Library) []string {
	return append([]string{name, text(l.Version), where}, w.byColumn(func(c matrix.Column) string {
		m := l.Cell(c.Code)
		switch {
		case m == nil:
			return ""
		case m.Damage:
			return text(string(m.Letter)) + "*"
		}
		return text(string(m.Letter))
	})...)
}

// Tested counts the runs of a program that tested something.
func (w *writer) Tested(p *results.Library) (runs int) {
	for _, c := range w.Columns {
		if m := p.Cell(c.Code); m != nil {
			runs += m.Runs
		}
	}
	return runs
}

// ProgramRows are the results of a program on real servers.
func (w *writer) ProgramRows(p *results.Library) (rows [][]string) {
	for _, c := range w.Columns {
		m := p.Cell(c.Code)
		if m == nil {
			continue
		}
		note := text(m.Note)
		if m.Letter == checker.LetterSafe {
			note = ""
		}
		if m.DamagedBy != "" && m.DamagedBy != m.Note {
			note += "; the resource is damaged when " + text(m.DamagedBy)
		}
		rows = append(rows, []string{code(c.Code) + " " + text(c.Name.English()), worstOf(m), fmt.Sprint(m.Runs), note})
	}
	return rows
}
