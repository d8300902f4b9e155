package terminal

import (
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

var outcomeColors = map[string]string{bundle.NotAsExpected: ink.Red, bundle.Inconclusive: ink.Yellow}

// layout is a form of the table of verdicts.
type layout struct {
	twoLines bool // of heads
	below    bool // outcomes are below the table, not in a column
	short    bool // cells
}

// matrix writes the table in the widest layout that fits: with one line of heads, with two, with
// the outcomes below, with short cells. For the narrowest terminals it writes a list instead.
func (t *terminal) matrix() {
	props := t.b.Properties()
	for _, l := range []layout{{false, false, false}, {true, false, false}, {true, true, false}, {true, true, true}} {
		rows := t.rows(props, l)
		widths := t.Widths(rows)
		room := t.Columns
		for _, w := range widths {
			room -= 2 + w
		}
		if room >= 0 {
			t.table(rows, widths, l)
			return
		}
	}
	t.list(props)
}

func (t *terminal) table(rows [][]ink.Cell, widths []int, l layout) {
	heads := len(rows) - len(t.b.Runs)
	for i, row := range rows {
		t.Row("  ", "  ", row, widths)
		if i < heads || l.below {
			continue
		}
		r := &t.b.Runs[i-heads]
		if why := r.Missed(); !why.Empty() {
			t.below(4, outcomeColors[r.Outcome()], t.Text(say.OutcomeSince.With("", say.Text(r.Outcome()), why)), "  ")
		}
	}
	if l.short {
		words := each.Map(strings.Split(say.Text("x broken  v kept  ? unknown").In(t.Language), "  "), t.signed)
		t.Line(t.Paint(ink.Faint, "  "+strings.Join(words, "  ")))
	}
	if l.below {
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

// rows are the heads and the runs.
func (t *terminal) rows(props []string, l layout) [][]ink.Cell {
	upper, lower := []ink.Cell{{}}, []ink.Cell{{}}
	for _, head := range t.b.PropertyNames(t.Language) {
		rest := ""
		if l.twoLines {
			head, rest = split(head)
		}
		upper, lower = append(upper, ink.Cell{Text: head}), append(lower, ink.Cell{Text: rest})
	}
	rows := [][]ink.Cell{upper}
	if l.twoLines {
		rows = append(rows, lower)
	}
	for i := range t.b.Runs {
		r := &t.b.Runs[i]
		row := []ink.Cell{{Text: sanitize.Text(r.Lock, 22)}}
		for _, p := range props {
			c := bundle.CellOf(r, p, t.Language)
			text := c.Long
			switch {
			case l.short:
				text = c.Short
			case c.Fenced && !l.twoLines:
				text = "v " + say.KeptFenced.With().In(t.Language)
			}
			row = append(row, ink.Cell{Text: t.signed(text), Code: colorOf(r.Judgement.Impact(), c.Verdict)})
		}
		if !l.below {
			row = append(row, ink.Cell{Text: say.Text(r.Outcome()).In(t.Language), Code: outcomeColors[r.Outcome()]})
		}
		rows = append(rows, row)
	}
	return rows
}

// split breaks a name after the dash nearest to its middle.
func split(name string) (head, rest string) {
	best, at := len(name)+1, 0
	for i, r := range name {
		if r == '-' {
			if longer := max(i+1, len(name)-i-1); longer < best {
				best, at = longer, i+1
			}
		}
	}
	return name[:at], name[at:]
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

// colorOf is the colour of a verdict. A broken one is red only if the data may be damaged.
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
