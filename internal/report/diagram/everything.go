package diagram

import (
	"fmt"
	"strings"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// Everything draws all events of a range, including retries and routine messages, without labels: each
// message is a line down from its sender. The steps keep their numbers, which stepNumber returns by
// their index, 0 for none.
func Everything(h *history.History, steps []explain.Step, bars *bundle.Bars, lo, hi int32, stepPrefix string, stepNumber func(i int) int, language say.Language) string {
	l := &Layout{h: h, lo: lo, hi: hi}
	n := int(hi-lo) + 1
	l.y, l.step = make([]int, n), make([]int, n)
	var kept []int // index of a step in those of the story
	for i, s := range steps {
		if s.Event >= lo && s.Event <= hi {
			l.steps = append(l.steps, s)
			kept = append(kept, i)
			l.step[s.Event-lo] = len(l.steps)
		}
	}
	for i := lo; i <= hi; i++ {
		l.Rows = append(l.Rows, i)
	}
	l.chooseColumns()
	l.placeAll()
	lock := say.Verbatim(sanitize.Text(h.Header.Lock, sanitize.MaxName))
	d := begin(l, bars, say.EventsFrom.With(lock, say.Number(lo+1), say.Number(hi+1)), "", stepPrefix, language)
	d.cover(bars.Freezes, "frozen")
	d.lifelines()
	d.beliefs(bars.Beliefs)
	d.grants(bars.Grants)
	d.folds(bars)
	d.names(bars.FaultSpans)
	d.wires()
	for k, s := range l.steps {
		d.bareMark(&s, stepNumber(kept[k]))
	}
	d.heads()
	d.b.WriteString("</svg>")
	return d.b.String()
}

// placeAll gives every event a row, close together; events at the same instant share one.
func (l *Layout) placeAll() {
	y, lastStep := headHeight+16, 0
	before := l.h.Events[l.lo].At
	for _, i := range l.Rows {
		e := &l.h.Events[i]
		switch gap := e.At.Sub(before); {
		case gap >= quietStretch:
			l.folds = append(l.folds, fold{y + foldHeight/2, before, e.At})
			y += foldHeight
		case gap > 0:
			y += 5
		}
		if l.step[i-l.lo] > 0 {
			y = max(y, lastStep+stepPitch-4)
			lastStep = y
		}
		l.y[i-l.lo], before = y, e.At
	}
	l.height = y + 26
}

// wires draws all messages: those that arrived as one path, the lost ones as crosses.
func (d *drawing) wires() {
	l, h := d.l, d.l.h
	var path strings.Builder
	line := func(from, to history.NodeID, y0, y1 int) {
		x0, x1 := l.column(from), l.column(to)
		if x0 > 0 && x1 > 0 {
			fmt.Fprintf(&path, "M%d %dL%d %d", edge(x0, x1, 8), y0, edge(x1, x0, 8), y1)
		}
	}
	for _, i := range l.Rows {
		e := &h.Events[i]
		switch e.Kind {
		case history.Executed, history.Replied:
			if c := e.Cause; l.shown(c) {
				line(h.Events[c].Node, e.Node, l.row(c), l.row(i))
			}
		case history.RequestDropped, history.ReplyDropped:
			d.lost(i, say.Phrase{})
		case history.WriteAccepted, history.WriteRefused, history.ReadDone:
			line(e.Peer, e.Node, l.row(i)-2, l.row(i))
		}
	}
	d.f(`<path class="msg" d="%s"/>`, path.String())
	d.drawLines()
}

// bareMark writes a step's number, time and ring.
func (d *drawing) bareMark(s *explain.Step, number int) {
	y := d.l.row(s.Event)
	if x := d.l.column(s.Node); s.Violation && x > 0 {
		d.f(`<circle cx="%d" cy="%d" r="11" class="ring"/>`, x, y)
	}
	d.text(stepNumberX-16, y+4, ending, "time", say.Seconds(s.At).In(d.language))
	if number > 0 {
		d.number(s, number, y, 9)
	}
}
