package terminal

import (
	"strings"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Seeds writes the results of many seeds, lock by lock: how many runs were as expected, how often
// each property broke, and how many runs are no evidence.
func Seeds(tallies []*bundle.Tally, o Options) string {
	t := newTerminal(nil, o)
	rows := make([][][]string, len(tallies))
	widths := make([]int, 4)
	for i, tally := range tallies {
		for _, b := range tally.BrokenRates() {
			row := []string{sanitize.Text(b.Property, sanitize.MaxName), t.text(b.Runs), t.text(b.Rate), t.text(b.First)}
			for n, cell := range row {
				widths[n] = max(widths[n], t.r.Width(cell))
			}
			rows[i] = append(rows[i], row)
		}
	}
	for i, tally := range tallies {
		met := say.Part(say.RunsAsExpected.With(say.Number(tally.Met), say.Number(tally.Runs)))
		if tally.Unasked {
			met = say.Text("nothing was expected")
		}
		t.line("  " + t.paint(bold, sanitize.Text(tally.Lock, sanitize.MaxName)) + "  " + t.text(met))
		for _, row := range rows[i] {
			t.line("    " + t.paint(red, t.signed("x "+t.r.Pad(row[0], widths[0]))) + "  " +
				t.right(row[1], widths[1]) + "  " + t.r.Pad(row[2], widths[2]) + "  " + row[3])
		}
		for _, more := range []say.Phrase{tally.NoneBrokeText(), tally.HoursText(), tally.UntestedText(), tally.IdleText(), tally.OfAllText()} {
			if !more.Empty() {
				t.below(4, "", t.text(more), "  ")
			}
		}
	}
	return sanitize.Log(t.out.String())
}

// right pads a text with blanks on its left.
func (t *terminal) right(s string, columns int) string {
	return strings.Repeat(" ", max(columns-t.r.Width(s), 0)) + s
}
