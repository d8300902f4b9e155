package terminal

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

var outcomeColors = map[string]string{bundle.NotAsExpected: ink.Red, bundle.Inconclusive: ink.Yellow}

// grid is the verdict table of a terminal.
type grid struct {
	lock    int      // width of the column of locks
	heads   []string // one line, or two joined by "\n"
	cells   [][]string
	widths  []int
	outcome bool // with a column for the outcomes
}

// matrix writes the table in the widest layout that fits: with one line of heads, with two, with
// the outcomes below, with short cells. For the narrowest terminals it writes a list instead.
func (t *terminal) matrix() {
	props := t.b.Properties()
	for _, layout := range []struct{ twoLines, below, short bool }{
		{false, false, false}, {true, false, false}, {true, true, false}, {true, true, true},
	} {
		g := t.grid(props, layout.twoLines, layout.short)
		g.outcome = !layout.below
		if g.total(t.outcomeWidth()) <= t.Columns {
			t.table(&g, props, layout.short)
			return
		}
	}
	t.list(props)
}

func (t *terminal) table(g *grid, props []string, short bool) {
	t.heads(g)
	for i := range t.b.Runs {
		t.row(g, i, props)
	}
	if short {
		var words []string
		for _, word := range strings.Split(say.Text("x broken  v kept  ? unknown").In(t.Language), "  ") {
			words = append(words, t.signed(word))
		}
		t.Line(t.Paint(ink.Faint, "  "+strings.Join(words, "  ")))
	}
	if !g.outcome {
		t.outcomes()
	}
	t.impacts()
	t.Line("")
}

func (t *terminal) list(props []string) {
	for i := range t.b.Runs {
		r := &t.b.Runs[i]
		impact := r.Judgement.Impact()
		t.Line("  " + sanitize.Text(r.Lock, 22))
		for _, p := range props {
			c := bundle.CellOf(r, p, t.Language)
			t.Line("    " + t.Paint(colorOf(impact, c.Verdict), t.Pad(t.signed(c.Long), 13)) + sanitize.Text(say.PropertyName(p, t.Language), 20))
		}
	}
	t.outcomes()
	t.impacts()
	t.Line("")
}

func (t *terminal) grid(props []string, twoLines, short bool) grid {
	g := grid{widths: make([]int, len(props))}
	for _, head := range t.b.PropertyNames(t.Language) {
		if twoLines {
			head = split(head)
		}
		g.heads = append(g.heads, head)
	}
	for i := range t.b.Runs {
		r := &t.b.Runs[i]
		g.lock = max(g.lock, t.Width(sanitize.Text(r.Lock, 22)))
		row := make([]string, len(props))
		for n, p := range props {
			c := bundle.CellOf(r, p, t.Language)
			row[n] = c.Long
			switch {
			case short:
				row[n] = c.Short
			case c.Fenced && !twoLines:
				row[n] = "v " + say.KeptFenced.With().In(t.Language)
			}
			row[n] = t.signed(row[n])
			g.widths[n] = max(g.widths[n], t.Width(row[n]))
		}
		g.cells = append(g.cells, row)
	}
	for n, head := range g.heads {
		for _, l := range strings.Split(head, "\n") {
			g.widths[n] = max(g.widths[n], t.Width(l))
		}
	}
	return g
}

// split breaks a name after the dash nearest to its middle.
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

// outcomeWidth is the width of the column of outcomes. Their reasons are below the rows.
func (t *terminal) outcomeWidth() (most int) {
	for i := range t.b.Runs {
		most = max(most, t.Width(t.outcome(&t.b.Runs[i])))
	}
	return most
}

func (t *terminal) outcome(r *bundle.Run) string { return say.Text(r.Outcome()).In(t.Language) }

func (t *terminal) heads(g *grid) {
	lines := 1
	for _, h := range g.heads {
		lines = max(lines, 1+strings.Count(h, "\n"))
	}
	for l := range lines {
		text := strings.Repeat(" ", 2+g.lock)
		for n, h := range g.heads {
			parts := strings.Split(h, "\n")
			text += "  " + t.Pad(parts[min(l, len(parts)-1)], g.widths[n])
		}
		t.Line(text)
	}
}

func (t *terminal) row(g *grid, i int, props []string) {
	r := &t.b.Runs[i]
	text := "  " + t.Pad(sanitize.Text(r.Lock, 22), g.lock)
	impact := r.Judgement.Impact()
	for n, p := range props {
		text += "  " + t.Paint(colorOf(impact, bundle.CellOf(r, p, t.Language).Verdict), g.cells[i][n]) +
			strings.Repeat(" ", g.widths[n]-t.Width(g.cells[i][n]))
	}
	if g.outcome {
		text += "  " + t.Paint(outcomeColors[r.Outcome()], t.outcome(r))
	}
	t.Line(text)
	if why := r.Missed(); g.outcome && !why.Empty() {
		t.below(4, outcomeColors[r.Outcome()], t.Text(say.OutcomeSince.With("", say.Text(r.Outcome()), why)), "  ")
	}
}

// outcomes writes the outcomes below the table: one line for all runs that are as expected.
func (t *terminal) outcomes() {
	rest := 0
	for i := range t.b.Runs {
		switch r := &t.b.Runs[i]; {
		case r.Outcome() == bundle.AsExpected:
			rest++
		case r.Missed().Empty():
			t.Line("  " + t.Text(say.OfLock.With(say.Verbatim(sanitize.Text(r.Lock, sanitize.MaxName)), say.Text(r.Outcome()))))
		default:
			t.below(2, outcomeColors[r.Outcome()], t.Text(say.OutcomeSince.With(say.Verbatim(sanitize.Text(r.Lock, sanitize.MaxName)), say.Text(r.Outcome()), r.Missed())), "  ")
		}
	}
	switch rest {
	case 0:
	case len(t.b.Runs):
		t.Line("  " + t.Text(say.Text(bundle.AsExpected)))
	default:
		t.Line("  " + t.Text(say.SomeAsExpected.With(say.Number(rest), say.Number(len(t.b.Runs)))))
	}
}

// impacts writes the impact of the broken locks on the data below the table, the worst first.
func (t *terminal) impacts() {
	for _, impact := range slices.Backward(checker.Impacts) {
		var locks say.List
		for i := range t.b.Runs {
			if r := &t.b.Runs[i]; bundle.AnyBroken(r) && r.Judgement.Impact() == impact {
				locks = append(locks, say.Verbatim(sanitize.Text(r.Lock, sanitize.MaxName)))
			}
		}
		if len(locks) > 0 {
			t.below(2, impactColors[impact], t.Text(say.About.With(impact.Word(), locks)), "  ")
		}
	}
}

// impactColors are the colours of a broken verdict, by its impact on the data.
var impactColors = map[checker.Impact]string{
	checker.ImpactDamaged: ink.Red, checker.ImpactUnknown: ink.Red, checker.ImpactSafe: ink.Yellow,
}

// colorOf is the colour of a verdict. A broken one is ink.Red only if the data may be damaged.
func colorOf(impact checker.Impact, v checker.Verdict) string {
	switch v {
	case checker.Broken:
		return impactColors[impact]
	case checker.Kept:
		return ink.Green
	case checker.Unknown:
		return ink.Yellow
	}
	return ""
}
