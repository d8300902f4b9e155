package docs

import (
	"fmt"
	"path"

	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
)

// languages are those of the folders of examples.
var languages = map[string]string{"bash": "bash", "java": "Java", "php": "PHP", "python": "Python", "ruby": "Ruby"}

// programRows are the rows of the programs of examples in the tables of all libraries: their letters,
// and how they were played.
func (w *writer) programRows() (letters, how [][]string) {
	for _, p := range w.Programs {
		name := linkInto(text(p.Lock), "libraries.md", p.Lock)
		letters = append(letters, w.letterRow(name, "on real servers", p))
		how = append(how, []string{
			name, code(p.Library), languages[path.Dir(p.Program)],
			fmt.Sprintf("each script once, by %s, the durations times %s", link(path.Base(p.Program), w.Up+"/examples/"+p.Program), fmt.Sprint(float64(p.ScalePPM)/1_000_000)),
			fmt.Sprint(p.Matrix.Seeds),
		})
	}
	return letters, how
}

// letterRow has the letters of a library, and where it was played.
func (w *writer) letterRow(name, where string, l *results.Library) []string {
	row := []string{name, text(l.Version), where}
	for _, c := range w.Columns {
		cell := ""
		if m := l.Cell(c.Code); m != nil {
			cell = text(m.Letter)
			if m.Damage {
				cell += "*"
			}
		}
		row = append(row, cell)
	}
	return row
}

// programSections give the results of each program's runs on real servers.
func (w *writer) programSections() (out []string) {
	for _, p := range w.Programs {
		var rows [][]string
		runs := 0
		for _, c := range w.Columns {
			m := p.Cell(c.Code)
			if m == nil {
				continue
			}
			note := text(m.Note)
			if m.Letter == string(checker.LetterSafe) {
				note = ""
			}
			if m.DamagedBy != "" && m.DamagedBy != m.Note {
				note += "; the resource is damaged when " + text(m.DamagedBy)
			}
			runs += m.Runs
			rows = append(rows, []string{code(c.Code) + " " + text(c.Name.English()), worstOf(m), fmt.Sprint(m.Runs), note})
		}
		out = append(out, heading(3, text(p.Lock))+"\n\n"+
			fmt.Sprintf("%s %s itself, by %s: %d runs that tested something.\n\n", code(p.Library), text(p.Version), link("examples/"+p.Program, w.Up+"/examples/"+p.Program), runs)+
			table([]string{"fault", "worst that was seen", "runs", "in which script, or why not"}, rows))
	}
	return out
}
