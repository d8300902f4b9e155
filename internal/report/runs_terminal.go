package report

import (
	"fmt"
	"strings"
)

// maxCaresShown is how many cautions a terminal shows; the page has all of them.
const maxCaresShown = 6

// RunsTerminal writes a comparison for a terminal: the runs, what to be careful
// about, the verdicts, where the stories part, and the measures with their ratios.
func RunsTerminal(c *RunComparison, o TerminalOptions) string {
	sides := c.sides()
	sides = sides[:min(len(sides), maxSides)]
	t := newTerminal(together(sides), o)
	t.runs(c)
	t.cares(c.cares(sides))
	t.matrix()
	if o.Brief {
		return t.out.String()
	}
	t.settings(c)
	t.partings(sides)
	t.ratios(sides)
	return t.out.String()
}

func (t *terminal) runs(c *RunComparison) {
	t.line(t.paint(bold, fmt.Sprintf("%d runs side by side", len(c.Runs))))
	t.line("")
	for n := range c.Runs {
		row := c.row(n)
		t.below(2, "", fmt.Sprintf("%d  %s", row.Number, row.Title), "   ")
		t.below(5, dim, fmt.Sprintf("seed %d . %s . %s . history %s", row.Seed, row.Backend, row.Length, row.Hash), "")
		t.line("     " + t.paint(dim, row.Dir)) // somebody may want to copy it: it is not broken
	}
	t.line("")
}

func (t *terminal) cares(cares []string) {
	if len(cares) == 0 {
		return
	}
	for n, text := range cares {
		if n == maxCaresShown {
			t.below(2, "", fmt.Sprintf("! and %d more, on the page", len(cares)-n), "  ")
			break
		}
		t.below(2, yellow, "! "+text, "  ")
	}
	t.line("")
}

func (t *terminal) settings(c *RunComparison) {
	diffs := c.settingDiffs()
	if len(diffs) == 0 {
		return
	}
	t.line(t.paint(bold, "What the plans do not have in common"))
	for n := range diffs {
		t.line("  " + diffs[n].Name)
		for run, v := range diffs[n].Values {
			t.below(4, "", fmt.Sprintf("run %d: %s", run+1, orNone(v)), "  ")
		}
	}
	t.line("")
}

func (t *terminal) partings(sides []side) {
	some := false
	for i := range sides {
		p := partingOf(sides, i)
		if p.Against == "" {
			continue
		}
		if !some {
			t.line(t.paint(bold, "Where the stories part"))
			some = true
		}
		if p.Says != "" {
			t.below(2, "", fmt.Sprintf("%s and %s: %s", sides[i].name, p.Against, p.Says), "  ")
			continue
		}
		t.below(2, "", fmt.Sprintf("%s and %s: step %d", sides[i].name, p.Against, p.Step), "  ")
		t.below(4, "", "here: "+orOver(p.Here), "  ")
		t.below(4, "", "there: "+orOver(p.There), "  ")
	}
	if some {
		t.line("")
	}
}

func orOver(s string) string {
	if s == "" {
		return "the story is over"
	}
	return s
}

// terminalMeasures are those that a terminal has room for, with shorter names.
var terminalMeasures = []struct {
	index int // of ratioHeads
	name  string
}{{1, "median wait"}, {2, "p99"}, {4, "longest hold"}, {5, "commands"}}

// ratios writes the table of measures, each with its ratio to the first line's.
func (t *terminal) ratios(sides []side) {
	rows := ratioRows(sides)
	longest := 0
	for _, r := range rows {
		longest = max(longest, t.r.Width(r.Name))
	}
	t.line(t.paint(bold, "Measures, and how many times those of the first line (commands: per acquisition)"))
	head := "  " + strings.Repeat(" ", longest)
	for _, m := range terminalMeasures {
		head += fmt.Sprintf("  %8s      ", m.name)
	}
	t.line(head)
	for _, r := range rows {
		text := "  " + t.r.Pad(r.Name, longest)
		for _, m := range terminalMeasures {
			c := r.Cells[m.index]
			text += fmt.Sprintf("  %8s %s", c.Value, t.r.Pad(c.Ratio, 5))
		}
		t.line(text)
	}
	t.line("")
}
