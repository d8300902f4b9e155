package terminal

import (
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
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
			row := []string{sanitize.Text(b.Property, sanitize.MaxName), t.Text(b.Runs), t.Text(b.Rate), t.Text(b.First)}
			for n, cell := range row {
				widths[n] = max(widths[n], t.Width(cell))
			}
			rows[i] = append(rows[i], row)
		}
	}
	for i, tally := range tallies {
		met := say.Part(say.RunsAsExpected.With(say.Number(tally.Met), say.Number(tally.Runs)))
		if tally.Unasked {
			met = say.Text("nothing was expected")
		}
		t.Line("  " + t.Paint(ink.Bold, sanitize.Text(tally.Lock, sanitize.MaxName)) + "  " + t.Text(met))
		for _, row := range rows[i] {
			t.Line("    " + t.Paint(ink.Red, t.signed("x "+t.Pad(row[0], widths[0]))) + "  " +
				t.Right(row[1], widths[1]) + "  " + t.Pad(row[2], widths[2]) + "  " + row[3])
		}
		for _, more := range []say.Phrase{tally.NoneBrokeText(), tally.HoursText(), tally.UntestedText(), tally.IdleText(), tally.OfAllText()} {
			if !more.Empty() {
				t.below(4, "", t.Text(more), "  ")
			}
		}
	}
	return sanitize.Log(t.String())
}
