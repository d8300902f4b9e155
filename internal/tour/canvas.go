package tour

import (
	"fmt"
	"strings"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/say"
)

// Escape sequences of the colours in use.
const (
	bold   = "\x1b[1m"
	faint  = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	green  = "\x1b[32m"
	plain  = "\x1b[0m"
)

// margin precedes everything but titles.
const margin = "  "

// canvas lays out one page. It also keeps the words without layout, to find terms that a line break
// splits.
type canvas struct {
	o     *Options
	ruler *say.Ruler
	out   strings.Builder
	words strings.Builder
	blank bool // the last line was empty, or nothing is written yet
}

func newCanvas(o *Options) *canvas {
	return &canvas{o: o, ruler: say.RulerFor(o.Language), blank: true}
}

func (c *canvas) text() string { return c.words.String() }

func (c *canvas) paint(code, s string) string {
	if !c.o.Color || code == "" || s == "" {
		return s
	}
	return code + s + plain
}

func (c *canvas) line(s string) {
	c.out.WriteString(strings.TrimRight(s, " ") + "\n")
	c.blank = s == ""
}

// gap leaves one empty line.
func (c *canvas) gap() {
	if !c.blank {
		c.line("")
	}
}

// note remembers words for the glossary.
func (c *canvas) note(s string) { c.words.WriteString(s + "\n") }

// wrapped writes a text with a lead on its first line and an indent on the others. Both are painted
// already and as wide as indent.
func (c *canvas) wrapped(lead, indent, code, text string) {
	for i, l := range c.ruler.Wrap(text, c.o.Width-c.ruler.Width(indent)) {
		if i > 0 {
			lead = indent
		}
		c.line(lead + c.paint(code, l))
	}
}

func (c *canvas) title(s string) {
	c.gap()
	for _, l := range c.ruler.Wrap(s, c.o.Width) {
		c.line(c.paint(bold, l))
	}
	c.line(c.paint(faint, strings.Repeat("=", min(c.ruler.Width(s), c.o.Width))))
}

func (c *canvas) heading(s string) {
	c.gap()
	c.line(c.paint(bold, s))
	c.gap()
}

// prose writes paragraphs.
func (c *canvas) prose(s string) {
	c.note(s)
	for i, p := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			c.gap()
		}
		c.wrapped(margin, margin, "", strings.TrimSpace(p))
	}
}

// item writes a numbered answer.
func (c *canvas) item(n int, s string) {
	c.note(s)
	if n == 1 {
		c.gap()
	}
	c.wrapped(margin+fmt.Sprintf("  %d  ", n), margin+"     ", "", s)
}

// command writes a command line that can be copied. A long one is continued after a backslash.
func (c *canvas) command(s string) {
	lead := margin + "$ "
	for len(lead)+len(s) > c.o.Width {
		cut := strings.LastIndex(s[:min(len(s), c.o.Width-len(lead)-len(` \`)+1)], " --")
		if cut < 0 {
			break
		}
		c.line(lead + c.paint(faint, s[:cut]+` \`))
		lead, s = margin+"    ", s[cut+1:]
	}
	c.line(lead + c.paint(faint, s))
}

// term writes a word and its meaning.
func (c *canvas) term(name, meaning string) {
	for i, l := range c.ruler.Wrap(name+c.o.say("colon")+meaning, c.o.Width-4) {
		if rest, ok := strings.CutPrefix(l, name); ok && i == 0 {
			c.line(margin + c.paint(bold, name) + c.paint(faint, rest))
			continue
		}
		c.line(margin + margin + c.paint(faint, l))
	}
}

// field writes a name and a text beside it.
func (c *canvas) field(name, text string) {
	c.note(text)
	lead := c.ruler.Pad(name, 9)
	c.wrapped(margin+c.paint(faint, lead), margin+strings.Repeat(" ", c.ruler.Width(lead)), "", text)
}

// left writes how many steps are not shown.
func (c *canvas) left(phrase string, n int) {
	if n > 0 {
		c.line(margin + c.paint(faint, c.o.say(phrase, n)))
	}
}

// longestTime is as wide as any time: lessons last minutes.
const longestTime = say.Seconds(100 * time.Second)

// step writes one narrated step: its sentence, below it the belief and the truth if they differ,
// and what breaks.
func (c *canvas) step(s explain.Step) {
	sentence, at := s.Sentence.In(c.o.Language), say.Seconds(s.At).In(c.o.Language)
	room := c.ruler.Width(longestTime.In(c.o.Language))
	lead := strings.Repeat(" ", max(room-c.ruler.Width(at), 0)) + at + "  "
	indent := strings.Repeat(" ", 1+c.ruler.Width(lead))
	c.note(sentence)
	mark := " "
	if s.Violation {
		mark = c.paint(red, ">")
	}
	c.wrapped(mark+lead, indent, "", sentence)
	if s.Apart {
		belief, store := s.Belief.In(c.o.Language), s.Store.In(c.o.Language)
		both := belief + "   " + store
		if len(indent)+c.ruler.Width(both) <= c.o.Width {
			c.line(indent + c.paint(faint, both))
		} else {
			c.wrapped(indent, indent, faint, belief)
			c.wrapped(indent, indent, faint, store)
		}
	}
	if !s.Note.Empty() {
		note := "<- " + s.Note.In(c.o.Language)
		c.note(note)
		c.wrapped(indent, indent, red, note)
	}
}

// table writes rows of cells, the first one as a header.
func (c *canvas) table(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], c.ruler.Width(cell))
		}
	}
	for n, row := range rows {
		line := margin
		for i, cell := range row {
			c.note(cell)
			line += c.paint(cellColor(n, i, cell), c.ruler.Pad(cell, widths[i])) + "   "
		}
		c.line(line)
	}
}

func cellColor(row, column int, cell string) string {
	switch {
	case row == 0:
		return faint
	case column == 0:
		return ""
	case strings.HasPrefix(cell, "v "):
		return green
	case strings.HasPrefix(cell, "x "):
		return red
	}
	return ""
}
