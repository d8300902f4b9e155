// Package ink lays out text for a terminal: colours, wrapped lines, and the steps of a story.
package ink

import (
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Escape sequences of the styles in use.
const (
	Bold   = "\x1b[1m"
	Faint  = "\x1b[2m"
	Red    = "\x1b[31m"
	Green  = "\x1b[32m"
	Yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// Page is a page of text, in a language.
type Page struct {
	strings.Builder
	*say.Ruler
	Language say.Language
	Color    bool
	Columns  int

	blank bool // the last line was empty
}

// New begins a page.
func New(l say.Language, color bool, columns int) Page {
	return Page{Ruler: say.RulerFor(l), Language: l, Color: color, Columns: columns, blank: true}
}

// Text is a phrase on one line.
func (p *Page) Text(of say.Part) string { return sanitize.Text(of.In(p.Language), sanitize.MaxLine) }

// Paint colours a text.
func (p *Page) Paint(code, s string) string {
	if !p.Color || code == "" || s == "" {
		return s
	}
	return code + s + plain
}

// Line writes a line.
func (p *Page) Line(s string) {
	p.WriteString(strings.TrimRight(s, " ") + "\n")
	p.blank = s == ""
}

// Gap leaves one empty line, but none at the top.
func (p *Page) Gap() {
	if !p.blank {
		p.Line("")
	}
}

// Wrapped writes a text with a lead on its first line and an indent on the others. The lead is as
// wide as the indent or narrower, and painted already.
func (p *Page) Wrapped(lead, indent, code, text string) {
	for n, l := range p.Wrap(text, p.Columns-p.Width(indent)) {
		if n > 0 {
			lead = indent
		}
		p.Line(lead + p.Paint(code, l))
	}
}

// Right pads a text with blanks on its left.
func (p *Page) Right(s string, columns int) string {
	return strings.Repeat(" ", max(columns-p.Width(s), 0)) + s
}

// Cell is a cell of a table, in a colour; one that is Right ends at the right of its column.
type Cell struct {
	Text, Code string
	Right      bool
}

// Widths are the widths of the columns that have room for some rows.
func (p *Page) Widths(rows [][]Cell) (widths []int) {
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], p.Width(c.Text))
		}
	}
	return widths
}

// Row writes a row of a table, with a gap between its columns.
func (p *Page) Row(indent, gap string, row []Cell, widths []int) {
	for i, c := range row {
		text, blanks := p.Paint(c.Code, c.Text), strings.Repeat(" ", widths[i]-p.Width(c.Text))
		if c.Right {
			text, blanks = blanks, text
		}
		indent += text + blanks + gap
	}
	p.Line(indent)
}

// Step writes a step of a story: its time in some columns, its sentence, and what breaks. Belief
// and store follow the sentence if they disagree, unless beside has them, in the given columns.
func (p *Page) Step(s *explain.Step, at, column int, beside string) {
	lead := " "
	if s.Violation {
		lead = p.Paint(Red, ">")
	}
	lead += p.Right(p.Text(say.Seconds(s.At)), at) + "  "
	indent := strings.Repeat(" ", at+3)
	for n, l := range p.Wrap(p.Text(s.Sentence), column) {
		if n == 0 && beside != "" {
			l = p.Pad(l, column) + "  " + p.Paint(Faint, beside)
		}
		p.Line(lead + l)
		lead = indent
	}
	if s.Apart && beside == "" {
		belief, store := sanitize.Text(s.Belief.In(p.Language), 120), sanitize.Text(s.Store.In(p.Language), 120)
		if both := belief + "   " + store; at+3+p.Width(both) <= p.Columns {
			p.Line(indent + p.Paint(Faint, both))
		} else {
			p.Wrapped(indent, indent+"  ", Faint, belief)
			p.Wrapped(indent, indent+"  ", Faint, store)
		}
	}
	if !s.Note.Empty() {
		p.Wrapped(indent, indent, Red, "<- "+p.Text(s.Note))
	}
}
