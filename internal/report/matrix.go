package report

import (
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/say"
)

// properties lists what the runs of a bundle were judged by, in the order of
// reports.
func (b *Bundle) properties() []string {
	var ids []string
	has := func(id string) bool {
		for _, known := range ids {
			if known == id {
				return true
			}
		}
		return false
	}
	judged := func(id string) bool {
		for i := range b.Runs {
			if b.Runs[i].finding(id) != nil {
				return true
			}
		}
		return false
	}
	for _, id := range explain.Order {
		if judged(id) {
			ids = append(ids, id)
		}
	}
	for i := range b.Runs {
		for _, f := range b.Runs[i].Judgement.Findings {
			if !has(f.Property) {
				ids = append(ids, f.Property)
			}
		}
	}
	return ids
}

// cell is one verdict in a table.
type cell struct {
	verdict checker.Verdict
	long    string // x broken 2x
	times   int    // how often it was broken
	short   string // x 2x
	fenced  bool   // kept thanks to a fence
}

func cellOf(r *Run, property string, l say.Language) cell {
	f := r.finding(property)
	if f == nil {
		return cell{long: "-", short: "-"}
	}
	c := cell{verdict: f.Verdict, long: VerdictText(f, l)}
	switch f.Verdict {
	case checker.Broken:
		c.times = max(f.Count, len(f.Violations))
		c.short = say.CrossTimes.With(say.Number(c.times)).In(l)
	case checker.Kept:
		c.short = "v"
		c.fenced = property == checker.NoStaleWriteID && r.fenced()
	default:
		c.short = "?"
	}
	return c
}

// How a run went, beside what was expected of it.
const (
	asExpected      = "as expected"
	notAsExpected   = "NOT as expected"
	inconclusive    = "inconclusive"
	nothingExpected = "nothing was expected"
)

var outcomeColors = map[string]string{notAsExpected: red, inconclusive: yellow}

// outcome says how the run went. A verdict that is unknown misses nothing, and meets
// nothing either.
func (r *Run) outcome() string {
	if r.Judgement.History == nil {
		return notAsExpected
	}
	out := asExpected
	switch {
	case len(r.Expected) == 0:
		return nothingExpected
	case !r.Untested.Empty():
		out = inconclusive
	}
	for _, e := range r.Expected {
		switch {
		case e.Met:
		case e.Got == string(checker.Unknown):
			out = inconclusive
		default:
			return notAsExpected
		}
	}
	return out
}

// missed says which expectations of a run were not met, and what it did not test, which
// is why verdicts are unknown; nothing when there is nothing to say.
func missed(r *Run) say.Phrase {
	var parts say.Remarks
	if !r.Untested.Empty() {
		parts = append(parts, r.Untested)
	}
	implied := false
	for _, e := range r.Expected {
		if unknown := e.Got == string(checker.Unknown); !e.Met && !(unknown && !r.Untested.Empty()) {
			parts = append(parts, say.WasExpected.With(say.Verbatim(e.Property), say.Verdict(e.Got), say.Verdict(e.Expected)))
			implied = implied || e.Implied && !unknown
		}
	}
	if implied {
		parts = append(parts, say.ExpectedToKeepAll.With())
	}
	if len(parts) == 0 {
		return say.Phrase{}
	}
	return say.SeveralReasons.With(parts)
}

// grid is the verdict table of a terminal.
type grid struct {
	lock    int      // width of the column of locks
	heads   []string // one line, or two joined by "\n"
	cells   [][]string
	widths  []int
	outcome bool // how a run went has a column of its own
}

// matrix writes the table in the roomiest layout that fits: heads on one line
// and expectations beside, heads on two lines, expectations below, short cells;
// and no table but a list for the narrowest.
func (t *terminal) matrix() {
	props := t.b.properties()
	var g grid
	fits, short := false, false
	for _, layout := range []struct{ twoLines, below, short bool }{
		{false, false, false}, {true, false, false}, {true, true, false}, {true, true, true},
	} {
		g = t.grid(props, layout.twoLines, layout.short)
		g.outcome = !layout.below
		short = layout.short
		if fits = g.total(t.outcomeWidth()) <= t.o.Width; fits {
			break
		}
	}
	if !fits {
		t.list(props)
		return
	}
	t.heads(&g)
	for i := range t.b.Runs {
		t.row(&g, i, props)
	}
	if short {
		t.line(t.paint(dim, "  "+say.Text("x broken  v kept  ? unknown").In(t.o.Language)))
	}
	if !g.outcome {
		t.outcomes()
	}
	t.line("")
}

// list writes the verdicts below each other.
func (t *terminal) list(props []string) {
	for i := range t.b.Runs {
		r := &t.b.Runs[i]
		t.line("  " + clean(r.Lock, 22))
		for _, p := range props {
			c := cellOf(r, p, t.o.Language)
			t.line("    " + t.paint(colorOf(c.verdict), t.r.Pad(c.long, 13)) + clean(p, 20))
		}
	}
	t.outcomes()
	t.line("")
}

func (t *terminal) grid(props []string, twoLines, short bool) grid {
	g := grid{widths: make([]int, len(props))}
	for _, p := range props {
		head := clean(p, maxName)
		if twoLines {
			head = split(head)
		}
		g.heads = append(g.heads, head)
	}
	for i := range t.b.Runs {
		r := &t.b.Runs[i]
		g.lock = max(g.lock, t.r.Width(clean(r.Lock, 22)))
		row := make([]string, len(props))
		for n, p := range props {
			c := cellOf(r, p, t.o.Language)
			row[n] = c.long
			switch {
			case short:
				row[n] = c.short
			case c.fenced && !twoLines:
				row[n] = "v " + say.KeptFenced.With().In(t.o.Language)
			}
			g.widths[n] = max(g.widths[n], t.r.Width(row[n]))
		}
		g.cells = append(g.cells, row)
	}
	for n, head := range g.heads {
		for _, l := range strings.Split(head, "\n") {
			g.widths[n] = max(g.widths[n], t.r.Width(l))
		}
	}
	return g
}

// split breaks a name behind the dash that leaves the most even halves.
func split(name string) string {
	best, at := len(name)+1, -1
	for i, r := range name {
		if r == '-' {
			if longer := max(i+1, len(name)-i-1); longer < best {
				best, at = longer, i
			}
		}
	}
	if at < 0 {
		return "\n" + name
	}
	return name[:at+1] + "\n" + name[at+1:]
}

func (g *grid) total(outcome int) int {
	n := 2 + g.lock
	for _, w := range g.widths {
		n += 2 + w
	}
	if g.outcome {
		n += 2 + outcome
	}
	return n
}

// outcomeWidth is the width of the column that says whether a run went as
// expected; why it did not is spelled out below the table and takes no more.
func (t *terminal) outcomeWidth() (most int) {
	for i := range t.b.Runs {
		most = max(most, t.r.Width(t.outcome(&t.b.Runs[i])))
	}
	return most
}

func (t *terminal) outcome(r *Run) string { return say.Text(r.outcome()).In(t.o.Language) }

func (t *terminal) heads(g *grid) {
	lines := 1
	for _, h := range g.heads {
		lines = max(lines, 1+strings.Count(h, "\n"))
	}
	for l := range lines {
		text := strings.Repeat(" ", 2+g.lock)
		for n, h := range g.heads {
			parts := strings.Split(h, "\n")
			text += "  " + t.r.Pad(parts[min(l, len(parts)-1)], g.widths[n])
		}
		t.line(text)
	}
}

func (t *terminal) row(g *grid, i int, props []string) {
	r := &t.b.Runs[i]
	text := "  " + t.r.Pad(clean(r.Lock, 22), g.lock)
	for n, p := range props {
		text += "  " + t.paint(colorOf(cellOf(r, p, t.o.Language).verdict), g.cells[i][n]) +
			strings.Repeat(" ", g.widths[n]-t.r.Width(g.cells[i][n]))
	}
	if g.outcome {
		text += "  " + t.paint(outcomeColors[r.outcome()], t.outcome(r))
	}
	t.line(text)
	if why := missed(r); g.outcome && !why.Empty() {
		t.below(4, outcomeColors[r.outcome()], t.text(say.OutcomeSince.With("", say.Text(r.outcome()), why)), "  ")
	}
}

// outcomes says below the table how the runs went: those that went as expected in one
// line.
func (t *terminal) outcomes() {
	rest := 0
	for i := range t.b.Runs {
		switch r := &t.b.Runs[i]; {
		case r.outcome() == asExpected:
			rest++
		case missed(r).Empty():
			t.line("  " + t.text(say.OfLock.With(say.Verbatim(clean(r.Lock, maxName)), say.Text(r.outcome()))))
		default:
			t.below(2, outcomeColors[r.outcome()], t.text(say.OutcomeSince.With(say.Verbatim(clean(r.Lock, maxName)), say.Text(r.outcome()), missed(r))), "  ")
		}
	}
	switch rest {
	case 0:
	case len(t.b.Runs):
		t.line("  " + t.text(say.Text(asExpected)))
	default:
		t.line("  " + t.text(say.SomeAsExpected.With(say.Number(rest), say.Number(len(t.b.Runs)))))
	}
}

func colorOf(v checker.Verdict) string {
	switch v {
	case checker.Broken:
		return red
	case checker.Kept:
		return green
	case checker.Unknown:
		return yellow
	}
	return ""
}
