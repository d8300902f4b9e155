package diagram

import (
	"unicode/utf8"

	"lockstep/internal/each"
)

// box is the area of a label, a bar or a cross.
type box struct{ x0, y0, x1, y1 int }

func (b box) meets(o box) bool { return b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 }

func (b box) crosses(l *line) bool {
	x0, y0, x1, y1 := l.x0, l.y0, l.x1, l.y1
	if x0 > x1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	from, to := max(x0, b.x0), min(x1, b.x1)
	if from > to {
		return false
	}
	if x0 < x1 {
		y0, y1 = y0+(y1-y0)*(from-x0)/(x1-x0), y0+(y1-y0)*(to-x0)/(x1-x0)
	}
	return min(y0, y1) < b.y1 && max(y0, y1) > b.y0
}

// labelBox is the area of a label. Fonts differ, so it is a little larger than most need.
func labelBox(x, y int, where, s string) box {
	w := 0
	for _, r := range s {
		if w += 6; utf8.RuneLen(r) > 2 {
			w += 5
		}
	}
	switch where {
	case middle:
		x -= w / 2
	case ending:
		x -= w
	}
	return box{x, y - 9, x + w, y + 3}
}

// Costs of a place for a label. The last resort is another label, after a line and a bar.
const (
	onWords   = 1000
	onLine    = 400
	onBar     = 150
	belowLine = 12 // a label is above its line if possible
)

// place finds a place for the label of a line: near its middle, and clear of labels, lines and
// bars.
func (d *drawing) place(l *line) (x, y int) {
	half := labelBox(0, 0, beside, l.label).x1 / 2
	dx, dy := l.x1-l.x0, l.y1-l.y0
	wide, high := max(dx, -dx, 1), max(dy, -dy, 1)
	rise, run := high*half/wide, 6*wide/high
	least := 1 << 30
	for far := 0; far <= 9 && 4*far < least; far++ {
		for _, k := range [...]int{10 - far, 10 + far} {
			mx, my := l.x0+dx*k/20, l.y0+dy*k/20
			for n, at := range [...]struct{ x, y, cost int }{
				{mx, my - 4 - rise, rise}, {mx, my + 11 + rise, rise + belowLine},
				{mx + half + 4 + run, my + 3, run + half}, {mx - half - 4 - run, my + 3, run + half},
			} {
				if n > 1 && 4*high < wide {
					break // the side of a flat line is too far away
				}
				b := labelBox(at.x, at.y, middle, l.label)
				if cost := d.cost(b, at.cost+4*far, least) + onBar*d.barsAt(b); cost < least {
					least, x, y = cost, at.x, at.y
				}
			}
		}
	}
	return x, y
}

// cost adds the cost of the labels and lines that a box covers. It stops when it reaches most.
func (d *drawing) cost(b box, cost, most int) int {
	if b.x0 < gutter || b.x1 > d.l.width || b.y0 < headHeight-12 {
		cost += onWords
	}
	for k := 0; k < len(d.words) && cost < most; k++ {
		if b.meets(d.words[k]) {
			cost += onWords
		}
	}
	for k := 0; k < len(d.lines) && cost < most; k++ {
		if b.crosses(&d.lines[k]) {
			cost += onLine
		}
	}
	return cost
}

func (d *drawing) barsAt(b box) int {
	return each.Count(d.bars, func(o *box) bool { return b.meets(*o) })
}
