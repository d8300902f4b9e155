package report

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// matrixView is what the template of the matrix sees. All texts in it are clean;
// the template escapes them.
type matrixView struct {
	Mode, Backend   string
	Lead            string
	Facts           []string
	Measured        []string
	Legend          []letterView
	Columns         []columnView
	Groups          []groupView
	Rows, Width     int
	Varied, Trimmed bool
	Replay          string
	Head            pageHead
}

type letterView struct {
	Letter, Class, Meaning, Short string
	Count                         int
}

type columnView struct {
	Code, Name, Summary string
	Bad                 int // locks broken or stuck
}

type groupView struct {
	Name  string
	Locks []lockView
}

type lockView struct {
	ID, Anchor, Store, Idea, BreaksWhen, Source string
	Protocol                                    []string
	Cells                                       []matrixCellView
	Bad                                         int // columns in which it breaks or is stuck
}

type matrixCellView struct {
	Anchor, Code, Name, Letter, Class string
	Note, Title                       string
	Percent                           int    // rate of broken and stuck variations, for the bar
	Outcome                           string // 22 of 22 broken
	Counts                            string
	Tried                             []string
	About                             string // what the run below is
	Run                               *runOfCell
}

type runOfCell struct {
	Verdict, Assumed, Formula string
	Strip                     template.HTML
	Steps                     []taleView
	Before, After             string
	File, YAML, Command, Hash string
}

type taleView struct {
	At, Sentence, Truth, Note, Gap string
	Bad                            bool
}

// letters says what the letters mean, from harmless to harmful.
var letters = []letterView{
	{"S", "cS", "Safe: no two holders, and others get the lock within normal waiting.", "safe", 0},
	{"L", "cL", "Safe, but delayed: somebody waits for a lease or an election, or gets an error.", "delayed", 0},
	{"D", "cD", "Stuck: nobody gets the lock for ten leases after the fault is over.", "stuck", 0},
	{"F", "cF", "A release removes the entry of another client.", "foreign entry freed", 0},
	{"V", "cV", "Mutual exclusion is violated: two clients hold the lock at once.", "two holders", 0},
	{"VF", "cVF", "Both: two holders, and a foreign entry freed.", "both", 0},
	{"?", "cN", "Unknown: no script tested anything, for the fault never came about or nobody contended.", "tested nothing", 0},
	{"-", "cN", "The fault could not be brought about: the lock has no such step.", "not applicable", 0},
}

// classOf is the style of a letter; that of an unknown one is the one of "-".
func classOf(l checker.Letter) string {
	for i := range letters {
		if letters[i].Letter == string(l) {
			return letters[i].Class
		}
	}
	return "cN"
}

// bad reports whether a letter is that of a broken or stuck lock.
func bad(l checker.Letter) bool {
	switch l {
	case checker.LetterV, checker.LetterF, checker.LetterVF, checker.LetterStuck:
		return true
	}
	return false
}

func newMatrixView(m *Matrix, d detail) *matrixView {
	v := &matrixView{
		Mode: "real servers", Backend: clean(m.Backend, maxName), Rows: len(m.Locks), Width: len(m.Columns) + 2,
		Varied: m.Seeds > 0, Trimmed: d.steps < maxTold, Replay: clean(m.Replay, maxLine),
		Head:   newHead("How distributed locks break", matrixCSS).scripted("matrixpage.js"),
		Legend: append([]letterView(nil), letters...),
	}
	if history.Simulated(m.Backend) {
		v.Mode = "simulated"
	}
	for _, c := range m.Columns {
		v.Columns = append(v.Columns, columnView{Code: clean(c.Code, 8), Name: clean(c.Name, maxName), Summary: clean(c.Summary, maxLine)})
	}
	for i := range m.Locks {
		l := &m.Locks[i]
		name := clean(l.Group, maxLine)
		if n := len(v.Groups); n == 0 || v.Groups[n-1].Name != name {
			v.Groups = append(v.Groups, groupView{Name: name})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Locks = append(g.Locks, v.lock(l, m.Seeds, d))
	}
	v.Lead = lead(m)
	v.Facts = v.facts(m)
	v.Measured = howMeasured(m)
	return v
}

// lock draws a row, and counts its letters.
func (v *matrixView) lock(l *MatrixLock, seeds int, d detail) lockView {
	out := lockView{
		ID: clean(l.ID, maxName), Anchor: anchor(l.ID), Store: clean(l.Store, maxLine), Idea: clean(l.Idea, maxProse),
		BreaksWhen: clean(l.BreaksWhen, maxProse), Source: clean(l.Source, maxProse),
	}
	for _, p := range l.Protocol {
		out.Protocol = append(out.Protocol, clean(p, maxProse))
	}
	for k := range l.Cells {
		if k >= len(v.Columns) {
			break
		}
		c, column := &l.Cells[k], &v.Columns[k]
		if bad(c.Letter) {
			out.Bad++
			column.Bad++
		}
		for i := range v.Legend {
			if v.Legend[i].Letter == string(c.Letter) {
				v.Legend[i].Count++
			}
		}
		out.Cells = append(out.Cells, newMatrixCellView(c, out.Anchor, column, seeds, d))
	}
	return out
}

// anchor makes a name fit for the id of an element.
func anchor(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '_'
	}, clean(name, maxName))
}

func newMatrixCellView(c *MatrixCell, lock string, column *columnView, seeds int, d detail) matrixCellView {
	v := matrixCellView{
		Anchor: lock + "-" + anchor(column.Code), Code: column.Code, Name: column.Name,
		Letter: clean(string(c.Letter), 2), Class: classOf(c.Letter), Note: nice(c.Note),
	}
	for _, t := range c.Tried {
		v.Tried = append(v.Tried, nice(t))
	}
	if c.Letter != notApplicable {
		v.Outcome = outcome(c)
		v.Counts = counts(c, seeds)
		if seeds > 0 {
			v.Percent = min(max(int(100*c.Rate+0.5), 0), 100)
		}
	}
	v.Title = fmt.Sprintf("%s, %s: %s", column.Code, column.Name, v.Note)
	if v.Outcome != "" {
		v.Title += " (" + v.Outcome + ")"
	}
	if c.Worst != nil && c.Letter != checker.LetterSafe && c.Letter != notApplicable {
		v.About = about(c)
		v.Run = newRunOfCell(c.Worst, d)
	}
	return v
}

// outcome sums a cell up in a few words.
func outcome(c *MatrixCell) string {
	var parts []string
	if c.Broken > 0 {
		parts = append(parts, fmt.Sprintf("%d broken", c.Broken))
	}
	if c.Stuck > 0 {
		parts = append(parts, fmt.Sprintf("%d stuck", c.Stuck))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("none of %d broken", c.Runs)
	}
	return strings.Join(parts, ", ") + fmt.Sprintf(" of %d", c.Runs)
}

// counts says how often a cell broke, and how often it may break.
func counts(c *MatrixCell, seeds int) string {
	s := fmt.Sprintf("%s: %d broken, %d stuck.", plural(c.Runs, "run"), c.Broken, c.Stuck)
	switch {
	case seeds <= 0:
		s += " No random variations were played."
	case c.Rate > 0:
		s += fmt.Sprintf(" Of the random variations, %s broke or got stuck (95 %% interval %s to %s).",
			percent(c.Rate), percent(c.Low), percent(c.High))
	case c.Broken+c.Stuck > 0:
		s += fmt.Sprintf(" None of the random variations broke, only scripts as they stand; at most %s of such variations would (95 %% confidence).", percent(c.High))
	default:
		s += fmt.Sprintf(" None of the random variations broke: with 95 %% confidence, at most %s of such runs would.", percent(c.High))
	}
	if c.Untested > 0 {
		s += fmt.Sprintf(" %d of %s tested something: in the others the fault never fired or nobody contended, and they count for nothing.", c.Runs, plural(c.Runs+c.Untested, "run"))
	}
	return nice(s)
}

// about introduces the run that is shown.
func about(c *MatrixCell) string {
	w := c.Worst
	what := "The script"
	if w.Varied {
		what = "A random variation of the script"
	}
	s := fmt.Sprintf("%s %q.", what, w.Script)
	if c.Letter == checker.LetterVF && w.Letter != checker.LetterVF {
		s += fmt.Sprintf(" No single run showed both kinds of damage; this one shows %s.", w.Letter)
	}
	return nice(s)
}

func newRunOfCell(r *MatrixRun, d detail) *runOfCell {
	v := &runOfCell{Hash: clean(r.Hash, 80)}
	if d.files && len(r.YAML) <= maxFile {
		v.File, v.YAML, v.Command = clean(r.File, maxLine), CleanLines(r.YAML), clean(r.Command, maxLine)
	}
	if r.Tale == nil {
		return v
	}
	t := r.Tale.shorter(d.steps)
	v.Verdict, v.Assumed, v.Formula = nice(t.Verdict), nice(t.Assumed), nice(t.Formula)
	v.Strip = t.strip
	v.Before, v.After = leftOut(t.Before), leftOut(t.After)
	for _, s := range t.Steps {
		truth := clean(s.Belief.English(), 120)
		if !s.Store.Empty() {
			truth += " · " + clean(s.Store.English(), 120)
		}
		v.Steps = append(v.Steps, taleView{
			At: nice(s.At.String()), Sentence: nice(s.Sentence.English()), Truth: truth, Gap: leftOut(s.Skipped),
			Note: nice(s.Note.English()), Bad: s.Violation,
		})
	}
	return v
}

// maxFile is how long a scenario may be to be shown, in bytes: half a file is of
// no use.
const maxFile = 8000

func leftOut(n int) string {
	if n <= 0 {
		return ""
	}
	return plural(n, "step") + " left out"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped writes a number with commas: 12,345.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent writes a rate, with a decimal where that tells something.
func percent(rate float64) string {
	p := 100 * rate
	if p == 0 || p >= 99.95 {
		return fmt.Sprintf("%.0f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}
