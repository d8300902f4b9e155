package matrixpage

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// matrixView is the view of the template. All texts are clean; the template escapes them.
type matrixView struct {
	Mode, Backend   string
	Lead            string
	Facts           []string
	CheckedFacts    []string // the same for a resource that checks tokens
	Measured        []string
	Legend          []letterView
	Marks           []letterView // beside the letters
	Columns         []columnView
	Groups          []groupView
	Rows, Width     int
	More, Tokens    bool // some rows are hidden by a switch; some locks hand out tokens
	Varied, Trimmed bool
	Replay          string
	Head            page.Head

	language  say.Language
	elsewhere string // the folder of the pages with the evidence; "" if it is on this page
}

// To is the link to a lock or to a piece of evidence about it.
func (v *matrixView) To(lock, anchor string) string {
	if v.elsewhere == "" {
		return "#" + anchor
	}
	return v.elsewhere + "/" + lock + ".html#" + anchor
}

// Here reports whether the evidence is on this page.
func (v *matrixView) Here() bool { return v.elsewhere == "" }

// CellName names a cell for screen readers.
func (v *matrixView) CellName(letter, lock, code string) string {
	return say.LetterOf.With(say.Verbatim(letter), say.Verbatim(lock), say.Verbatim(code)).In(v.language)
}

// OfRows is the head of the row with the counts of the columns.
func (v *matrixView) OfRows() string {
	return say.BrokenOrStuckOf.With(say.Number(v.Rows)).In(v.language)
}

// WhyNoLetter says why a cell has no letter.
func (v *matrixView) WhyNoLetter(note string) string {
	return say.WhyNoLetter.With(say.Verbatim(note)).In(v.language)
}

type letterView struct {
	Letter, Class, Meaning, Short string
	Count                         int
}

type columnView struct {
	Code, Name, Summary, Kinds string
	Harm                       harmView // locks
}

type groupView struct {
	Name  string
	More  bool // behind a switch
	Locks []lockView
}

type lockView struct {
	ID, Name, Anchor, Store, Idea, BreaksWhen, Source string
	Apart, Tokens                                     bool
	Damaged                                           int // columns in which the resource is damaged
	Protocol                                          []string
	Cells                                             []matrixCellView
	Harm                                              harmView // columns
}

type matrixCellView struct {
	Anchor, Code, Name, Letter, Class string
	Note, Title                       string
	Percent                           int    // rate of broken and stuck variations, for the bar
	Outcome                           string // 22 of 22 broken
	Counts                            string
	Tried                             []string
	Besides                           []string // further findings
	Command                           string   // plays the walk's story; "" if the runs alone determine the letter
	About                             string   // introduces Run
	Run                               *runOfCell
}

type runOfCell struct {
	Verdict, Assumed, Formula string
	Strip                     template.HTML
	Checked                   *runOfCell // the same with a resource that checks tokens
	Steps                     []taleView
	Before, After             string
	File, YAML, Command, Hash string
}

type taleView struct {
	At, Sentence, Truth, Note, Gap string
	Bad                            bool
}

// lettersOf is the legend of letters, from harmless to harmful.
func lettersOf(l say.Language) (out []letterView) {
	for _, x := range checker.CellLetters {
		out = append(out, letterView{string(x.Letter), classOf(x.Letter), x.Means.In(l), x.Word.In(l), 0})
	}
	return out
}

// marksOf is the legend of the marks beside letters.
func marksOf(l say.Language) []letterView {
	return []letterView{
		{"V", "damaged", say.MeansDamaged.With().In(l), say.WordDamaged.With().In(l), 0},
		{"V", "fenced", say.MeansFenced.With().In(l), say.WordFenced.With().In(l), 0},
		{"V", "rare", say.MeansRare.With().In(l), say.WordRare.With().In(l), 0},
		{"°", "walked", say.MeansWalked.With().In(l), say.WordWalked.With().In(l), 0},
	}
}

// classOf is the style of a letter; an unknown letter has that of "-".
func classOf(l checker.Letter) string {
	if l.Badness() == 0 {
		return "cN"
	}
	return "c" + string(l)
}

func newMatrixView(m *Matrix, d detail) *matrixView {
	v := &matrixView{
		language: m.Language, Mode: say.Text("real servers").In(m.Language), Backend: sanitize.Text(m.Backend, sanitize.MaxName), Width: len(m.Columns) + 2,
		Varied: m.Seeds > 0, Trimmed: d.steps < maxTold, Replay: sanitize.Text(m.Replay, sanitize.MaxLine),
		Head:   page.NewHead(say.Text("How distributed locks break").In(m.Language), strip.CSS, matrixCSS).Scripted(matrixScript),
		Legend: lettersOf(m.Language), Marks: marksOf(m.Language),
	}
	if history.Simulated(m.Backend) {
		v.Mode = say.Text("simulated").In(m.Language)
	}
	for _, c := range m.Columns {
		v.Columns = append(v.Columns, columnView{
			Code: sanitize.Text(c.Code, 8), Name: sanitize.Text(c.Name, sanitize.MaxName), Summary: sanitize.Text(c.Summary, sanitize.MaxLine),
			Kinds: sanitize.Text(kindsOf(&c).In(m.Language), sanitize.MaxLine),
		})
	}
	for i := range m.Locks {
		l := &m.Locks[i]
		v.group(l).Locks = append(v.group(l).Locks, v.lock(l, m.Seeds, d))
		if !l.Apart {
			v.Rows++
		}
		v.More, v.Tokens = v.More || l.More, v.Tokens || l.Tokens
	}
	if v.More {
		v.sort()
	}
	v.Lead = v.lead(m).In(m.Language)
	v.Facts, v.CheckedFacts = inLanguage(m.Language, v.facts(m, false)), inLanguage(m.Language, v.facts(m, true))
	v.Measured = inLanguage(m.Language, howMeasured(m))
	return v
}

// group finds or adds the group of a row.
func (v *matrixView) group(l *Lock) *groupView {
	name := sanitize.Text(l.Group, sanitize.MaxLine)
	at := slices.IndexFunc(v.Groups, func(g groupView) bool { return g.Name == name && g.More == l.More })
	if at < 0 {
		v.Groups, at = append(v.Groups, groupView{Name: name, More: l.More}), len(v.Groups)
	}
	return &v.Groups[at]
}

// sort puts rows that are always shown before those hidden by the switch, and in each group the least
// harmed first.
func (v *matrixView) sort() {
	slices.SortStableFunc(v.Groups, func(a, b groupView) int { return cmp.Compare(later(a.More), later(b.More)) })
	for i := range v.Groups {
		slices.SortStableFunc(v.Groups[i].Locks, func(a, b lockView) int {
			return cmp.Or(cmp.Compare(a.Harm.Bad, b.Harm.Bad), cmp.Compare(a.Damaged, b.Damaged))
		})
	}
}

func later(more bool) int {
	if more {
		return 1
	}
	return 0
}

// lock makes a row and counts its letters.
func (v *matrixView) lock(l *Lock, seeds int, d detail) lockView {
	out := lockView{
		ID: sanitize.Text(l.ID, sanitize.MaxName), Name: sanitize.Text(cmp.Or(l.Name, l.ID), sanitize.MaxName), Anchor: anchor(l.ID), Store: sanitize.Text(l.Store, sanitize.MaxLine), Idea: sanitize.Text(l.Idea, sanitize.MaxProse),
		BreaksWhen: sanitize.Text(l.BreaksWhen, sanitize.MaxProse), Source: sanitize.Text(l.Source, sanitize.MaxProse),
		Apart: l.Apart, Tokens: l.Tokens,
	}
	for _, p := range l.Protocol {
		out.Protocol = append(out.Protocol, sanitize.Text(p, sanitize.MaxProse))
	}
	for k := range l.Cells {
		if k >= len(v.Columns) {
			break
		}
		c, column := &l.Cells[k], &v.Columns[k]
		for i := range v.Legend {
			if v.Legend[i].Letter == string(c.Letter) {
				v.Legend[i].Count++
			}
		}
		cell := newMatrixCellView(c, out.Anchor, column, seeds, d, v.language)
		harm := harmView{}
		if c.Letter.Harms() {
			harm = harmView{1, 1}
		}
		switch {
		case c.DamagedBy != "":
			cell.Class += " damaged"
			out.Damaged++
		case l.Tokens && c.Letter.TwoHold():
			cell.Class += " fenced"
			harm.Checked = 0
		}
		if c.Nowhere && c.Letter.Harms() {
			cell.Class += " rare"
		}
		out.Harm.add(harm)
		if !l.Apart {
			column.Harm.add(harm)
		}
		for i := range v.Marks {
			if strings.Contains(" "+cell.Class+" ", " "+v.Marks[i].Class+" ") {
				v.Marks[i].Count++
			}
		}
		out.Cells = append(out.Cells, cell)
	}
	return out
}

// anchor makes the id of an element from a name.
func anchor(name string) string { return sanitize.FileName(sanitize.Text(name, sanitize.MaxName)) }

func newMatrixCellView(c *Cell, lock string, column *columnView, seeds int, d detail, l say.Language) matrixCellView {
	v := matrixCellView{
		Anchor: lock + "-" + anchor(column.Code), Code: column.Code, Name: column.Name,
		Letter: sanitize.Text(string(c.Letter), 2), Class: classOf(c.Letter), Note: sanitize.Sentence(c.Note),
	}
	for _, t := range c.Tried {
		v.Tried = append(v.Tried, sanitize.Sentence(t))
	}
	if c.Walk != nil && c.Walk.Command != "" {
		v.Class += " walked"
		v.Command = sanitize.Text(c.Walk.Command, sanitize.MaxLine)
	}
	v.Besides = besides(c, l)
	if c.Letter != checker.LetterNone && c.Runs+c.Untested > 0 {
		v.Outcome = outcome(c).In(l)
		v.Counts = sanitize.Sentence(counts(c, seeds).In(l))
		if seeds > 0 {
			v.Percent = min(max(int(100*c.Rate+0.5), 0), 100)
		}
	}
	unexpected := ""
	switch {
	case c.Letter.Harms() && c.Nowhere:
		unexpected = say.WordRare.With().In(l)
	case c.Letter.Harms():
		unexpected = sanitize.Sentence(c.NotExpected)
	}
	v.Title = say.CellTitle.With(say.Verbatim(column.Code), say.Verbatim(column.Name), say.Verbatim(v.Note), say.Verbatim(v.Outcome), say.Verbatim(unexpected)).In(l)
	if c.Worst != nil && c.Letter != checker.LetterSafe && c.Letter != checker.LetterNone {
		v.About = sanitize.Sentence(about(c).In(l))
		v.Run = newRunOfCell(c.Worst, d, l)
		if c.Worst.Checked != nil && d.steps > 0 {
			v.Run.Checked = newRunOfCell(&Run{Tale: c.Worst.Checked}, detail{0, false}, l)
			v.Run.Checked.Command = sanitize.Text(c.Worst.CheckedCommand, sanitize.MaxLine)
			if c.Worst.Checked.strip != nil {
				v.Run.Checked.Strip = c.Worst.Checked.strip(l)
			}
		}
	}
	return v
}

// outcome sums up a cell in a few words.
func outcome(c *Cell) say.Phrase {
	n := say.Number(c.Runs)
	switch {
	case c.Walk != nil && c.Walk.Command != "":
		return say.WordWalked.With()
	case c.Broken > 0 && c.Stuck > 0:
		return say.BothOfRuns.With(say.Number(c.Broken), say.Number(c.Stuck), n)
	case c.Broken > 0:
		return say.BrokenOfRuns.With(say.Number(c.Broken), n)
	case c.Stuck > 0:
		return say.StuckOfRuns.With(say.Number(c.Stuck), n)
	}
	return say.NoneOfRuns.With(n)
}

// counts says how often a cell broke, and how often it may break.
func counts(c *Cell, seeds int) say.Phrase {
	var rate, untested say.Phrase
	switch {
	case seeds <= 0:
		rate = say.Text("No random variations were played.")
	case c.Rate > 0:
		rate = say.VariationsBroke.With(say.Percent(c.Rate), say.Percent(c.Low), say.Percent(c.High))
	case c.Broken+c.Stuck > 0:
		rate = say.ScriptsBrokeOnly.With(say.Percent(c.High))
	default:
		rate = say.NoVariationBroke.With(say.Percent(c.High))
	}
	if c.Untested > 0 {
		untested = say.SomeTested.With(say.Number(c.Runs), say.Grouped(c.Runs+c.Untested))
	}
	return say.CellCounts.With(say.Grouped(c.Runs), say.Number(c.Broken), say.Number(c.Stuck), rate, untested)
}

// about introduces the run that is shown.
func about(c *Cell) say.Phrase {
	w := c.Worst
	var part say.Phrase
	if c.Letter == checker.LetterVF && w.Letter != checker.LetterVF {
		part = say.OneDamageOnly.With(say.Verbatim(w.Letter))
	}
	return say.ShownScript.With(say.Flag(w.Varied), say.Flag(!w.Varied), say.Verbatim(strconv.Quote(w.Script)), part)
}

func newRunOfCell(r *Run, d detail, l say.Language) *runOfCell {
	v := &runOfCell{Hash: sanitize.Text(r.Hash, 80)}
	if d.files && len(r.YAML) <= maxFile {
		v.File, v.YAML, v.Command = sanitize.Text(r.File, sanitize.MaxLine), sanitize.Lines(r.YAML), sanitize.Text(r.Command, sanitize.MaxLine)
	}
	if r.Tale == nil {
		return v
	}
	t := r.Tale.shorter(d.steps)
	v.Verdict, v.Formula = sanitize.Sentence(t.Verdict.In(l)), sanitize.Sentence(t.Formula.In(l))
	v.Assumed = sanitize.Sentence(say.AssumptionWas.With(t.Assumed).In(l))
	if t.strip != nil {
		v.Strip = t.strip(l)
	}
	v.Before, v.After = leftOut(t.Before, l), leftOut(t.After, l)
	for _, s := range t.Steps {
		truth := sanitize.Text(s.Belief.In(l), 120)
		if !s.Store.Empty() {
			truth += " · " + sanitize.Text(s.Store.In(l), 120)
		}
		v.Steps = append(v.Steps, taleView{
			At: sanitize.Sentence(say.Seconds(s.At).In(l)), Sentence: sanitize.Sentence(s.Sentence.In(l)), Truth: truth, Gap: leftOut(s.Skipped, l),
			Note: sanitize.Sentence(s.Note.In(l)), Bad: s.Violation,
		})
	}
	return v
}

// maxFile limits the size of a scenario that is shown, in bytes: half a file is of no use.
const maxFile = 8000

func leftOut(n int, l say.Language) string {
	if n <= 0 {
		return ""
	}
	return say.StepsLeftOut.With(say.Grouped(n)).In(l)
}
