package terminal

import (
	"slices"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/ink"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Seeds writes the results of many seeds, lock by lock: how many runs were as expected, how often
// each property broke, and how many runs are no evidence.
func Seeds(tallies []*bundle.Tally, o Options) string {
	t := newTerminal(nil, o)
	rows := make([][][]ink.Cell, len(tallies))
	for i, tally := range tallies {
		for _, b := range tally.BrokenRates() {
			rows[i] = append(rows[i], []ink.Cell{
				{Text: t.signed("x " + sanitize.Text(b.Property, sanitize.MaxName)), Code: ink.Red},
				{Text: t.Text(b.Runs), Right: true}, {Text: t.Text(b.Rate)}, {Text: t.Text(b.First)},
			})
		}
	}
	widths := t.Widths(slices.Concat(rows...))
	for i, tally := range tallies {
		met := say.Part(say.RunsAsExpected.With(say.Number(tally.Met), say.Number(tally.Runs)))
		if tally.Unasked {
			met = say.Text("nothing was expected")
		}
		t.Line("  " + t.Paint(ink.Bold, sanitize.Text(tally.Lock, sanitize.MaxName)) + "  " + t.Text(met))
		for _, row := range rows[i] {
			t.Row("    ", "  ", row, widths)
		}
		for _, more := range []say.Phrase{tally.NoneBrokeText(), tally.HoursText(), tally.UntestedText(), tally.IdleText(), tally.OfAllText()} {
			if !more.Empty() {
				t.below(4, "", t.Text(more), "  ")
			}
		}
	}
	return sanitize.Log(t.String())
}
