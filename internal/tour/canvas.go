package tour

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/report/ink"
	"lockstep/internal/say"
)

// margin precedes everything but titles.
const margin = "  "

// canvas lays out one page. It also keeps the words without layout, to find terms that a line break
// splits.
type canvas struct {
	ink.Page
	o     *Options
	words strings.Builder
}

func newCanvas(o *Options) *canvas {
	return &canvas{Page: ink.New(o.Language, o.Color, o.Width), o: o}
}

func (c *canvas) text() string { return c.words.String() }

// note remembers words for the glossary.
func (c *canvas) note(s string) { c.words.WriteString(s + "\n") }

func (c *canvas) title(s string) {
	c.Gap()
	for _, l := range c.Wrap(s, c.o.Width) {
		c.Line(c.Paint(ink.Bold, l))
	}
	c.Line(c.Paint(ink.Faint, strings.Repeat("=", min(c.Width(s), c.o.Width))))
}

func (c *canvas) heading(s string) {
	c.Gap()
	c.Line(c.Paint(ink.Bold, s))
	c.Gap()
}

// prose writes paragraphs.
func (c *canvas) prose(s string) {
	c.note(s)
	for i, p := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			c.Gap()
		}
		c.Wrapped(margin, margin, "", strings.TrimSpace(p))
	}
}

// item writes a numbered answer.
func (c *canvas) item(n int, s string) {
	c.note(s)
	if n == 1 {
		c.Gap()
	}
	c.Wrapped(margin+fmt.Sprintf("  %d  ", n), margin+"     ", "", s)
}

// command writes a command line that can be copied. A long one is continued after a backslash.
func (c *canvas) command(s string) {
	lead := margin + "$ "
	for len(lead)+len(s) > c.o.Width {
		cut := strings.LastIndex(s[:min(len(s), c.o.Width-len(lead)-len(` \`)+1)], " --")
		if cut < 0 {
			break
		}
		c.Line(lead + c.Paint(ink.Faint, s[:cut]+` \`))
		lead, s = margin+"    ", s[cut+1:]
	}
	c.Line(lead + c.Paint(ink.Faint, s))
}

// term writes a word and its meaning.
func (c *canvas) term(name, meaning string) {
	for i, l := range c.Wrap(name+c.o.say("colon")+meaning, c.o.Width-4) {
		if rest, ok := strings.CutPrefix(l, name); ok && i == 0 {
			c.Line(margin + c.Paint(ink.Bold, name) + c.Paint(ink.Faint, rest))
			continue
		}
		c.Line(margin + margin + c.Paint(ink.Faint, l))
	}
}

// field writes a name and a text beside it.
func (c *canvas) field(name, text string) {
	c.note(text)
	lead := c.Pad(name, 9)
	c.Wrapped(margin+c.Paint(ink.Faint, lead), margin+strings.Repeat(" ", c.Width(lead)), "", text)
}

// left writes how many steps are not shown.
func (c *canvas) left(phrase string, n int) {
	if n > 0 {
		c.Line(margin + c.Paint(ink.Faint, c.o.say(phrase, n)))
	}
}

// longestTime is as wide as any time: lessons last minutes.
const longestTime = say.Seconds(100 * time.Second)

// step writes one narrated step.
func (c *canvas) step(s explain.Step) {
	c.note(c.Text(s.Sentence))
	if !s.Note.Empty() {
		c.note(c.Text(s.Note))
	}
	at := c.Width(longestTime.In(c.o.Language))
	c.Step(&s, at, c.Columns-at-3, "")
}

// table writes rows of cells, the first one as a header.
func (c *canvas) table(rows [][]string) {
	var cells [][]ink.Cell
	for n, row := range rows {
		cells = append(cells, nil)
		for i, cell := range row {
			c.note(cell)
			cells[n] = append(cells[n], ink.Cell{Text: cell, Code: cellColor(n, i, cell)})
		}
	}
	widths := c.Widths(cells)
	for _, row := range cells {
		c.Row(margin, "   ", row, widths)
	}
}

func cellColor(row, column int, cell string) string {
	switch {
	case row == 0:
		return ink.Faint
	case column == 0:
		return ""
	case strings.HasPrefix(cell, "v "):
		return ink.Green
	case strings.HasPrefix(cell, "x "):
		return ink.Red
	}
	return ""
}
