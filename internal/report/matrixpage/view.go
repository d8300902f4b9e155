package matrixpage

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// view is the view of the template.
type view struct {
	*Matrix
	Head    page.Head
	Legend  []mark // the letters, from harmless to harmful
	Marks   []mark // beside the letters
	Groups  []group
	Rows    int  // locks that are counted
	Trimmed bool // tales and files are left out

	elsewhere string // the folder of the pages with the evidence; "" if it is on this page
	alone     bool   // each lock has a page of its own
}

// mark is a letter or a mark beside one, with the number of its cells.
type mark struct {
	Letter, Class string
	Means, Word   say.Phrase
	Count         int
}

type group struct {
	Name  string
	More  bool // behind a switch
	Locks []*Lock
}

func newView(m *Matrix) *view {
	title := say.Text("How distributed locks break").In(m.Language)
	v := &view{Matrix: m, Head: design.Head(title, strip.CSS)}
	for _, x := range checker.CellLetters {
		letter := mark{Letter: string(x.Letter), Class: classOf(x.Letter), Means: x.Means, Word: x.Word}
		v.Legend = append(v.Legend, letter)
	}
	v.Marks = []mark{
		{Letter: "V", Class: "damaged", Means: say.Text("the resource was damaged, behind a fence where the lock hands out tokens: an update was lost, or a stale write came after a newer holder had read"), Word: say.Text("resource damaged")},
		{Letter: "V", Class: "fenced", Means: say.Text("two holders; a resource that checks tokens keeps its data safe. The evidence shows the same run without that check and with it"), Word: say.Text("safe where tokens are checked")},
		{Letter: "V", Class: "rare", Means: say.Text("smaller: harm by a fault that is not expected with any store the lock can use, so \"Which lock should I use?\" does not count it"), Word: say.WordRare.With()},
		{Letter: "°", Class: "walked", Means: say.Text("the exhaustive search of the fault space found the letter; no script or variation did as badly"), Word: say.WordWalked.With()},
	}
	for i := range m.Locks {
		l := &m.Locks[i]
		of := v.group(l)
		of.Locks = append(of.Locks, l)
		if !l.Apart {
			v.Rows++
		}
		for n := range v.Legend {
			letter := checker.Letter(v.Legend[n].Letter)
			v.Legend[n].Count += each.Count(l.Cells, func(c *Cell) bool { return c.Letter == letter })
		}
		for n := range v.Marks {
			look := v.Marks[n].Class
			v.Marks[n].Count += each.Count(l.Cells, func(c *Cell) bool {
				return slices.Contains(strings.Fields(l.Class(c)), look)
			})
		}
	}
	if v.More() {
		v.sort()
	}
	return v
}

// More reports whether some rows are hidden by a switch, and Tokens whether some lock hands out
// tokens.
func (v *view) More() bool { return slices.ContainsFunc(v.Locks, func(l Lock) bool { return l.More }) }
func (v *view) Tokens() bool {
	return slices.ContainsFunc(v.Locks, func(l Lock) bool { return l.Tokens })
}

// Mode is the world, in a word.
func (v *view) Mode() say.Phrase {
	if history.Simulated(v.Backend) {
		return say.Text("simulated")
	}
	return say.Text("real servers")
}

// Column is a column by its index.
func (v *view) Column(k int) *Column { return &v.Columns[k] }

// Width is the number of columns of the table.
func (v *view) Width() int { return len(v.Columns) + 2 }

func (v *view) group(l *Lock) *group {
	at := slices.IndexFunc(v.Groups, func(g group) bool { return g.Name == l.Group && g.More == l.More })
	if at < 0 {
		v.Groups, at = append(v.Groups, group{Name: l.Group, More: l.More}), len(v.Groups)
	}
	return &v.Groups[at]
}

// sort puts rows that are always shown before those hidden by the switch, and in each group the
// least harmed first.
func (v *view) sort() {
	slices.SortStableFunc(v.Groups, func(a, b group) int {
		switch {
		case a.More == b.More:
			return 0
		case a.More:
			return 1
		}
		return -1
	})
	for i := range v.Groups {
		slices.SortStableFunc(v.Groups[i].Locks, func(a, b *Lock) int {
			return cmp.Or(cmp.Compare(a.Harm().Bad, b.Harm().Bad), cmp.Compare(a.damaged(), b.damaged()))
		})
	}
}

// To is the link to a lock or to a piece of evidence about it.
func (v *view) To(l *Lock, anchor string) string {
	if v.elsewhere == "" {
		return "#" + anchor
	}
	return v.elsewhere + "/" + l.Anchor() + ".html#" + anchor
}

// Here reports whether the evidence is on this page, and Alone whether the page is that of a lock.
func (v *view) Here() bool  { return v.elsewhere == "" }
func (v *view) Alone() bool { return v.alone }

// CellName names a cell for screen readers.
func (v *view) CellName(c *Cell, l *Lock, column *Column) say.Phrase {
	return say.LetterOf.With(short(string(c.Letter)), short(l.ID), short(column.Code))
}

func short(s string) say.Verbatim { return say.Verbatim(sanitize.Text(s, sanitize.MaxName)) }

// OfRows is the head of the row with the counts of the columns.
func (v *view) OfRows() say.Phrase { return say.BrokenOrStuckOf.With(say.Number(v.Rows)) }

// Called is the name of a lock, and Anchor the id of its evidence.
func (l *Lock) Called() string { return cmp.Or(l.Name, l.ID) }
func (l *Lock) Anchor() string { return anchor(l.ID) }

// Anchor is the id of the evidence of a cell. A page of one lock has each column once.
func (v *view) Anchor(l *Lock, column *Column) string {
	if v.alone {
		return anchor(column.Code)
	}
	return l.Anchor() + "-" + anchor(column.Code)
}

func anchor(name string) string { return sanitize.FileName(sanitize.Text(name, sanitize.MaxName)) }

// classOf is the style of a letter; an unknown letter has that of "-".
func classOf(l checker.Letter) string {
	if l.Badness() == 0 {
		return "cN"
	}
	return "c" + string(l)
}

// Class is the style of a cell.
func (l *Lock) Class(c *Cell) string {
	class := classOf(c.Letter)
	if c.Story != "" {
		class += " walked"
	}
	switch {
	case c.DamagedBy != "":
		class += " damaged"
	case l.Tokens && c.Letter.TwoHold():
		class += " fenced"
	}
	if c.Unexpected && c.Letter.Harms() {
		class += " rare"
	}
	return class
}

// Shown is the run that is shown as evidence; nil for none.
func (c *Cell) Shown() *Run {
	if c.Letter == checker.LetterSafe || c.Letter == checker.LetterNone {
		return nil
	}
	return c.Worst
}

func (c *Cell) measured() bool { return c.Letter != checker.LetterNone && c.Runs+c.Untested > 0 }

// Percent is the rate of broken and stuck variations, for the bar.
func (v *view) Percent(c *Cell) int {
	if v.Seeds == 0 || !c.measured() {
		return 0
	}
	return min(max(int(100*c.Rate+0.5), 0), 100)
}

// Title is the text of a cell for a reader who hovers over it.
func (v *view) Title(c *Cell, column *Column) string {
	unexpected := sanitize.Sentence(c.NotExpected)
	switch {
	case !c.Letter.Harms():
		unexpected = ""
	case c.Unexpected:
		unexpected = say.WordRare.With().In(v.Language)
	}
	note, outcome := say.Verbatim(sanitize.Sentence(c.Note)), say.Verbatim(c.Outcome().In(v.Language))
	title := say.CellTitle.With(short(column.Code), short(column.Name), note, outcome, say.Verbatim(unexpected))
	return title.In(v.Language)
}

// Outcome sums up a cell in a few words; empty if nothing was measured.
func (c *Cell) Outcome() say.Phrase {
	n := say.Number(c.Runs)
	switch {
	case !c.measured():
		return say.Phrase{}
	case c.Story != "":
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

// Counts says how often a cell broke, and how often it may break; empty if nothing was measured.
func (v *view) Counts(c *Cell) say.Phrase {
	var rate, untested say.Phrase
	switch {
	case !c.measured():
		return say.Phrase{}
	case v.Seeds <= 0:
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

// WhyNoLetter says why a cell has no letter.
func (c *Cell) WhyNoLetter() say.Phrase {
	return say.WhyNoLetter.With(say.Verbatim(sanitize.Sentence(c.Note)))
}

// About introduces the run that is shown.
func (c *Cell) About() say.Phrase {
	w := c.Worst
	var part say.Phrase
	if c.Letter == checker.LetterVF && w.Letter != checker.LetterVF {
		part = say.OneDamageOnly.With(say.Verbatim(w.Letter))
	}
	return say.ShownScript.With(say.Flag(w.Varied), say.Flag(!w.Varied), say.Verbatim(strconv.Quote(w.Script)), part)
}

// TaleOf is the tale of a run, if there is room for it; nil for none.
func (v *view) TaleOf(r *Run) *Tale {
	if v.Trimmed {
		return nil
	}
	return r.Tale
}

// Checked is the run with a resource that checks tokens, if there is room for it.
func (v *view) Checked(r *Run) *Tale {
	if v.Trimmed {
		return nil
	}
	return r.Checked
}

// Strip is the picture of a tale; "" for none.
func (v *view) Strip(t *Tale) template.HTML {
	if t.strip == nil {
		return ""
	}
	return t.strip(v.Language)
}

// Was is the false assumption of a tale.
func (t *Tale) Was() say.Phrase { return say.AssumptionWas.With(t.Assumed) }

// File is the scenario of a run; "" if it has no place on the page: half a file is of no use.
func (v *view) File(r *Run) string {
	if v.Trimmed || len(r.YAML) > maxFile {
		return ""
	}
	return r.YAML
}

// maxFile limits the size of a scenario that is shown, in bytes.
const maxFile = 8000
