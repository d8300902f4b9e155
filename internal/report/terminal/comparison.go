package terminal

import (
	"fmt"
	"strings"

	"lockstep/internal/report/compare"
	"lockstep/internal/report/ink"
	"lockstep/internal/say"
)

// maxCautions limits the cautions; the page has all of them.
const maxCautions = 6

// Comparison writes a comparison for a terminal: the runs, cautions, the verdicts, where the
// stories diverge, and the measures with their ratios.
func Comparison(c *compare.Comparison, o Options) string {
	sides := c.Sides()
	sides = sides[:min(len(sides), compare.MaxSides)]
	t := newTerminal(compare.Together(sides), o)
	t.runs(c)
	t.cautions(c.Cautions())
	t.matrix()
	if o.Brief {
		return t.String()
	}
	t.settings(c)
	t.partings(sides)
	t.ratios(sides)
	return t.String()
}

func (t *terminal) runs(c *compare.Comparison) {
	t.Line(t.Paint(ink.Bold, c.Title()))
	t.Line("")
	for _, row := range c.Rows() {
		t.below(2, "", fmt.Sprintf("%d  %s", row.Number, row.Title), "   ")
		t.below(5, ink.Faint, t.Text(say.HistoryHash.With(say.SeedAndWorld.With(say.Verbatim(fmt.Sprint(row.Seed)), say.Verbatim(row.Backend), say.Text(row.Length)), say.Verbatim(row.Hash))), "")
		t.Line("     " + t.Paint(ink.Faint, row.Dir)) // not wrapped, so a reader can copy it
	}
	t.Line("")
}

func (t *terminal) cautions(list []string) {
	if len(list) == 0 {
		return
	}
	for n, text := range list {
		if n == maxCautions {
			t.below(2, "", "! "+t.Text(say.MoreOnPage.With(say.Number(len(list)-n))), "  ")
			break
		}
		t.below(2, ink.Yellow, "! "+text, "  ")
	}
	t.Line("")
}

func (t *terminal) settings(c *compare.Comparison) {
	diffs := c.Differences()
	if len(diffs) == 0 {
		return
	}
	t.Line(t.Paint(ink.Bold, t.Text(say.Text("Where the plans differ"))))
	for n := range diffs {
		t.Line("  " + diffs[n].Name)
		for run, v := range diffs[n].Values {
			t.below(4, "", t.Text(say.InRun.With(say.Number(run+1), compare.Or(v, "not there"))), "  ")
		}
	}
	t.Line("")
}

func (t *terminal) partings(sides []compare.Side) {
	some := false
	for i := range sides {
		p := &sides[i].Divergence
		if p.Against == "" {
			continue
		}
		if !some {
			t.Line(t.Paint(ink.Bold, t.Text(say.Text("Where the runs diverge"))))
			some = true
		}
		how := say.Text(p.Says)
		if p.Says == "" {
			how = say.StepNumber.With(say.Number(p.Step))
		}
		t.below(2, "", t.Text(say.BetweenStories.With(say.Verbatim(sides[i].Name), say.Verbatim(p.Against), how)), "  ")
		if p.Says != "" {
			continue
		}
		t.below(4, "", t.Text(say.OfLock.With(say.Verbatim(t.Text(say.Text("here"))), compare.Or(p.Here, "the story is over"))), "  ")
		t.below(4, "", t.Text(say.OfLock.With(say.Verbatim(t.Text(say.Text("there"))), compare.Or(p.There, "the story is over"))), "  ")
	}
	if some {
		t.Line("")
	}
}

// terminalMeasures are the measures that fit a terminal, with shorter names.
var terminalMeasures = []struct {
	index int // in compare.RatioHeads
	name  string
}{{1, "median wait"}, {2, "p99"}, {4, "longest hold"}, {5, "commands"}}

func (t *terminal) ratios(sides []compare.Side) {
	rows := compare.RatioRows(sides, t.Language)
	longest := 0
	for _, r := range rows {
		longest = max(longest, t.Width(r.Name))
	}
	t.Line(t.Paint(ink.Bold, t.Text(say.Text("Measures, and their ratio to the first line (commands: per acquisition)"))))
	head := "  " + strings.Repeat(" ", longest)
	for _, m := range terminalMeasures {
		head += "  " + t.Right(t.Text(say.Text(m.name)), 8) + "      "
	}
	t.Line(head)
	for _, r := range rows {
		text := "  " + t.Pad(r.Name, longest)
		for _, m := range terminalMeasures {
			c := r.Cells[m.index]
			text += "  " + t.Right(c.Value, 8) + " " + t.Pad(c.Ratio, 5)
		}
		t.Line(text)
	}
	t.Line("")
}
