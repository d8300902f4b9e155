// Package diagram draws histories as space-time diagrams, in SVG. Its classes are
// those of the pages: b1 to b6 are hatched in the clients' colours, g1 to g6 solid.
package diagram

import (
	_ "embed"
	"fmt"
	"html"
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// CursorJS is the script of the time cursor of strip, diagram and steps, after the script that fits
// a diagram to the width of its container. Its head lists the attributes that it needs.
var CursorJS = fitJS + cursorJS

//go:embed fit.js
var fitJS string

//go:embed cursor.js
var cursorJS string

// Shapes are the patterns and the arrow of a page's figures.
func Shapes() string {
	var b strings.Builder
	b.WriteString(`<svg class="shapes" width="0" height="0" aria-hidden="true"><defs>` +
		`<marker id="arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="6.5" markerHeight="6.5" orient="auto"><path d="M0 0.6 8 4 0 7.4z" class="head"/></marker>`)
	for n := 1; n <= bundle.ClientColours; n++ {
		fmt.Fprintf(&b, `<pattern id="hatch-%d" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0v5" style="stroke:var(--c%d)" stroke-width="4"/></pattern>`, n, n)
	}
	b.WriteString(`</defs></svg>`)
	return b.String()
}

// Draw draws a layout as SVG. The numbers link to the ids of the steps, stepPrefix and the number.
func Draw(l *Layout, b *bundle.Bars, stepPrefix string, language say.Language) string {
	lock := say.Verbatim(sanitize.Text(l.h.Header.Lock, sanitize.MaxName))
	title := say.SpaceTime.With(lock, say.Number(len(l.steps))).In(language)
	d := &drawing{l: l, colours: bundle.ColoursOf(l.h), prefix: stepPrefix, language: language}
	d.f(`<svg class="spacetime" role="img" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d"%[3]s xmlns="http://www.w3.org/2000/svg"><title>%[4]s</title>`,
		l.width, l.height, l.cursor(), html.EscapeString(title))
	d.framed = d.cover(b.FaultSpans, "strike")
	for _, f := range l.folds { // they cover labels
		d.words = append(d.words, box{0, f.y - 11, l.width, f.y + 11})
	}
	for _, i := range l.Rows {
		d.message(i)
	}
	marks := d.marks()
	d.cover(b.Freezes, "frozen")
	d.guides()
	d.lifelines()
	d.beliefs(b.Beliefs)
	d.grants(b.Grants)
	d.names(b.FaultSpans)
	d.folds(b)
	for k := range d.lines { // their labels need the places of all of them
		d.draw(&d.lines[k])
	}
	d.b.WriteString(marks)
	d.numbers()
	d.heads()
	d.b.WriteString("</svg>")
	return d.b.String()
}

// cursor returns the attributes for the script of the time cursor: the heights of the rows with
// their true times in microseconds, and the heights of the steps.
func (l *Layout) cursor() string {
	var rows, steps []string
	last := -1
	for _, i := range l.Rows {
		y := l.row(i)
		if y == last && l.rounds[i] != nil { // the row extends to the end of the round
			rows = rows[:len(rows)-1]
			last--
		}
		if y > last {
			rows, last = append(rows, fmt.Sprintf("%d %d", y, int64(l.h.Events[i].At)/1000)), y
		}
	}
	for _, s := range l.steps {
		steps = append(steps, fmt.Sprint(l.row(s.Event)))
	}
	return fmt.Sprintf(` data-rows="%s" data-steps="%s"`, strings.Join(rows, " "), strings.Join(steps, " "))
}

// heads names the columns. The script of the time cursor keeps them in sight.
func (d *drawing) heads() {
	l := d.l
	d.b.WriteString(`<g class="heads">`)
	for _, id := range l.columns {
		x := l.column(id)
		class := "node"
		if l.spacing < narrow {
			class = "node small"
		}
		d.text(x, 16, middle, class, sanitize.Text(say.Name(l.h.Name(id)).In(d.language), min(sanitize.MaxHeadName, l.spacing/8)))
		role := string(l.h.Role(id))
		if role == l.h.Name(id) || l.spacing < narrow && role == string(history.RoleClient) {
			continue // the name says it, or there is no room
		}
		d.text(x, 30, middle, "role", d.word(role))
	}
	d.b.WriteString(`</g>`)
}

type drawing struct {
	l        *Layout
	colours  bundle.Colours
	framed   map[int32]bool // by the beginning of a fault: it frames a lane
	labelled map[int64]bool // active faults with a label
	prefix   string         // of the steps' ids
	language say.Language
	b        strings.Builder

	words, bars []box // drawn already, for labels to avoid
	lines       []line
}

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// Alignments of a label: beside its place, centred on it, or before it. These are classes of the
// page.
const (
	beside = ""
	middle = " m"
	ending = " e"
)

// text writes a label. Classes such as w (wire) and o (owner) have a halo, so they stay readable on
// top of lines.
func (d *drawing) text(x, y int, where, class, s string) {
	d.f(`<text x="%d" y="%d" class="%s%s">%s</text>`, x, y, class, where, html.EscapeString(s))
	d.words = append(d.words, labelBox(x, y, where, s))
}

// lifelines draws the columns. A line is interrupted while its process is dead.
func (d *drawing) lifelines() {
	l := d.l
	for _, id := range l.columns {
		x := l.column(id)
		from, alive := headHeight-6, true
		for _, i := range l.Rows {
			e := &l.h.Events[i]
			if e.Node != id {
				continue
			}
			switch {
			case e.Kind == history.Crashed && alive:
				d.f(`<path d="M%d %dV%d" class="life"/>`, x, from, l.row(i))
				alive = false
			case e.Kind == history.Restarted && !alive:
				from, alive = l.row(i), true
			}
		}
		if alive {
			d.f(`<path d="M%d %dV%d" class="life"/>`, x, from, l.height-8)
		}
	}
}

// extent returns the rows of a bar; ok is false if it lies outside.
func (d *drawing) extent(b bundle.Bar) (y0, y1 int, ok bool) {
	if b.From > d.l.hi || (b.To >= 0 && b.To < d.l.lo) || d.l.column(b.Node) == 0 {
		return 0, 0, false
	}
	y0, y1 = d.l.row(b.From), d.l.height-8
	if b.To >= 0 {
		y1 = d.l.row(b.To)
	}
	return y0, max(y1, y0+3), true
}

// cover covers the lanes of some bars for as long as they last, and returns where those drawn
// begin.
func (d *drawing) cover(bars []bundle.Bar, class string) map[int32]bool {
	half, drawn := d.l.half(), map[int32]bool{}
	for _, b := range bars {
		if y0, y1, ok := d.extent(b); ok {
			drawn[b.From] = true
			d.f(`<rect x="%d" y="%d" width="%d" height="%d" class="%s"/>`, d.l.column(b.Node)-half, y0, 2*half, y1-y0, class)
		}
	}
	return drawn
}

func (l *Layout) half() int { return min(l.spacing/2-4, 44) }

// names labels each fault that frames lanes once, in the first lane, at the place with the most
// room.
func (d *drawing) names(bars []bundle.Bar) {
	named := map[int32]bool{}
	for _, b := range bars {
		y0, _, ok := d.extent(b)
		if !ok || named[b.From] {
			continue
		}
		named[b.From] = true
		says, more := say.FaultNumber.With(say.Number(b.Fault)).In(d.language), ""
		left, right := d.l.column(b.Node)-d.l.half()+2, d.l.column(b.Node)+11
		var x, y, least int
		for n, at := range [...]struct{ x, y int }{{right, y0 + 12}, {left, y0 + 12}, {right, y0 + 4}, {left, y0 + 4}, {right + 16, y0 + 12}} {
			box := labelBox(at.x, at.y, beside, says)
			if b.Cut {
				box.y0 = y0 - 13
			}
			if cost := d.cost(box, 0, 1<<30) + onBar*d.barsAt(box); n == 0 || cost < least {
				x, y, least = at.x, at.y, cost
			}
		}
		if b.Cut {
			more = fmt.Sprintf(`<tspan x="%d" y="%d">%s</tspan>`, x, y0-4, html.EscapeString(d.word("cut off")))
			d.words = append(d.words, labelBox(x, y0-4, beside, says))
		}
		d.f(`<text x="%d" y="%d" class="w">%s%s</text>`, x, y, html.EscapeString(says), more)
		d.words = append(d.words, labelBox(x, y, beside, says))
	}
}

func (d *drawing) beliefs(bars []bundle.Bar) {
	for _, b := range bars {
		if y0, y1, ok := d.extent(b); ok {
			d.bar(d.l.column(b.Node)-7, y0, y1, "b", b.Owner)
		}
	}
}

func (d *drawing) grants(bars []bundle.Bar) {
	for _, b := range bars {
		y0, y1, ok := d.extent(b)
		if !ok || b.Lane > 3 || (d.l.h.Role(b.Owner) == history.RoleProbe && !d.l.shown(b.From)) {
			continue
		}
		x, class := d.l.column(b.Node)-7+16*b.Lane, "g"
		if b.Copy {
			class = "copy copy"
		}
		d.bar(x, y0, y1, class, b.Owner)
		y, name := y0+12, sanitize.Text(say.Name(d.l.h.Name(b.Owner)).In(d.language), 4)
		for d.cost(labelBox(x+19, y, beside, name), 0, 1) > 0 && y+12 < y1 {
			y += 12 // a mark has its label there
		}
		d.text(x+19, y, beside, "o", name)
	}
}

func (d *drawing) bar(x, y0, y1 int, class string, owner history.NodeID) {
	d.f(`<rect x="%d" y="%d" width="14" height="%d" rx="2" class="%s%d"/>`, x, y0, y1-y0, class, d.colours.Of(owner))
	d.bars = append(d.bars, box{x, y0, x + 14, y1})
}

// guides draws lines from the steps' numbers to their rows and across, behind everything else.
func (d *drawing) guides() {
	d.b.WriteString(`<path d="`)
	for n, s := range d.l.steps {
		if row, y := d.l.row(s.Event), d.l.numbers[n]; row == y {
			d.f("M%d %dH%d", stepNumberX+11, y, d.l.width)
		} else {
			d.f("M%d %dL%d %dH%d", stepNumberX+11, y, gutter+14, row, d.l.width)
		}
	}
	d.b.WriteString(`" class="guide"/>`)
}

// numbers draws the steps' times and numbers in the gutter. A number links to its sentence; it
// takes no keyboard focus, since the list of steps does.
func (d *drawing) numbers() {
	last := ""
	for n, s := range d.l.steps {
		y := d.l.numbers[n]
		if at := say.Seconds(s.At).In(d.language); at != last {
			d.text(stepNumberX-16, y+4, ending, "time", at)
			last = at
		}
		d.number(&s, n+1, y, 10)
	}
}

// number draws the number of a step in a circle that links to its sentence.
func (d *drawing) number(s *explain.Step, n, y, radius int) {
	class := "step"
	if s.Violation {
		class = "step bad"
	}
	d.f(`<a href="#%s%d" class="%s" tabindex="-1"><circle cx="%d" cy="%d" r="%d"/><text x="%d" y="%d">%d</text></a>`,
		d.prefix, n, class, stepNumberX, y, radius, stepNumberX, y+4, n)
}
