package diagram

import (
	"cmp"
	"fmt"
	"html"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// lateAfter is the least travel time of a message that is drawn as late.
const lateAfter = 250 * time.Millisecond

// line is the path of a message from one column to another, with its label.
type line struct {
	x0, y0, x1, y1 int
	class          string
	label, title   string
	event          int32 // the arrival of the message
	lost           bool  // it ends on its way
}

// message finds the line that ends at an event, if any.
func (d *drawing) message(i int32) {
	l, h := d.l, d.l.h
	e := &h.Events[i]
	switch e.Kind {
	case history.Executed:
		if l.shown(e.Cause) {
			sent := &h.Events[e.Cause]
			d.arrow(sent.Node, i, shortCommand(h.Op(sent.Text)), h.Text(sent.Text))
		}
	case history.Replied:
		if l.shown(e.Cause) {
			done := &h.Events[e.Cause]
			if done.Kind == history.Sent {
				d.unseen(e.Cause, i)
				return
			}
			d.arrow(done.Node, i, sanitize.Text(h.Text(e.Text), 14), h.Text(e.Text))
		}
	case history.RequestDropped:
		var label say.Phrase
		if l.shown(e.Cause) {
			label = say.Text(shortCommand(h.Op(h.Events[e.Cause].Text)))
		}
		d.lost(i, label)
	case history.ReplyDropped:
		d.lost(i, say.Text("reply"))
	case history.WriteAccepted, history.WriteRefused, history.ReadDone:
		if from, to := l.column(e.Peer), l.column(e.Node); from > 0 && to > 0 {
			y := l.row(i)
			d.lines = append(d.lines, line{x0: edge(from, to, 9), y0: y - 3, x1: edge(to, from, 8), y1: y, class: "msg to"})
		}
	}
}

// arrow adds a message from a node that arrives with an event.
func (d *drawing) arrow(from history.NodeID, i int32, label, full string) {
	e := &d.l.h.Events[i]
	x0, x1 := d.l.column(from), d.l.column(e.Node)
	if x0 == 0 || x1 == 0 {
		return
	}
	class := "msg to"
	if e.At.Sub(d.l.h.Events[e.Cause].At) >= lateAfter {
		class, label = "msg late to", say.LateMessage.With(say.Verbatim(label)).In(d.language)
	}
	if r := d.l.rounds[i]; r != nil {
		label = ""
		if e.Kind == history.Executed && e.Node == r.far {
			label = r.says(d.l.h).In(d.language)
		}
	}
	d.lines = append(d.lines, line{
		x0: edge(x0, x1, 8), y0: d.l.row(e.Cause), x1: edge(x1, x0, 8), y1: d.l.row(i), class: class, label: label, title: sanitize.Text(full, 100), event: i,
	})
}

func (d *drawing) draw(l *line) {
	if l.title != "" {
		d.f(`<g%s><title>%s</title>`, d.handle(l.event), html.EscapeString(l.title))
		defer d.b.WriteString(`</g>`)
	}
	d.f(`<path d="M%d %dL%d %d" class="%s"/>`, l.x0, l.y0, l.x1, l.y1, l.class)
	if l.lost {
		d.f(`<path d="M%d %dl10 10m0 -10l-10 10" class="cross"/>`, l.x1-5, l.y1-5)
	}
	if l.label != "" {
		x, y := d.place(l)
		d.text(x, y, middle, "w", l.label)
	}
}

// handle is the attribute with the event of a message that a page can drag.
func (d *drawing) handle(event int32) string {
	if !d.l.Handles {
		return ""
	}
	return fmt.Sprintf(` data-event="%d"`, event)
}

// unseen adds a command on a real server. Its changes show when it was executed, if the server
// reports them. Otherwise the time is unknown: the line turns half way, dashed and without a head.
func (d *drawing) unseen(sent, replied int32) {
	s, r := &d.l.h.Events[sent], &d.l.h.Events[replied]
	x0, x1 := d.l.column(s.Node), d.l.column(s.Peer)
	if x0 == 0 || x1 == 0 {
		return
	}
	command, reply := d.l.h.Text(s.Text), d.l.h.Text(r.Text)
	there := line{x0: edge(x0, x1, 8), y0: d.l.row(sent), x1: edge(x1, x0, 8), event: replied}
	back := line{x0: there.x1, x1: there.x0, y1: d.l.row(replied), event: replied}
	if done := d.changedBy(sent, replied); done != history.NoCause {
		there.y1 = d.l.row(done)
		there.class, there.label, there.title = "msg to", shortCommand(d.l.h.Op(s.Text)), sanitize.Text(command, 100)
		back.class, back.label, back.title = "msg to", sanitize.Text(reply, 14), sanitize.Text(reply, 100)
	} else {
		there.y1 = (there.y0 + back.y1) / 2
		there.class, back.class = "msg unseen", "msg unseen to"
		there.label = shortCommand(d.l.h.Op(s.Text)) + " " + sanitize.Text(reply, 14)
		there.title = say.ExecutedUnseen.With(say.Verbatim(sanitize.Text(command, 100)), say.Verbatim(sanitize.Text(reply, 100))).In(d.language)
		back.title = there.title
	}
	back.y0 = there.y1
	d.lines = append(d.lines, there, back)
}

// changedBy is the change that a command made on its server before the reply, if it has a row;
// NoCause for none. A change that is known from the reply alone has the time of the reply.
func (d *drawing) changedBy(sent, replied int32) int32 {
	for i := sent + 1; i < replied; i++ {
		e := &d.l.h.Events[i]
		switch e.Kind {
		case history.Granted, history.Extended, history.Removed:
			if e.Cause == sent && e.At < d.l.h.Events[replied].At && d.l.shown(i) {
				return i
			}
		}
	}
	return history.NoCause
}

// lost adds a message that ends on its way to the peer of an event.
func (d *drawing) lost(i int32, label say.Phrase) {
	e := &d.l.h.Events[i]
	x0, x1 := d.l.column(e.Node), d.l.column(e.Peer)
	if x0 == 0 || x1 == 0 {
		return
	}
	x, y := x0+(x1-x0)*3/5, d.l.row(i)
	d.bars = append(d.bars, box{x - 6, y + 2, x + 6, y + 14})
	d.lines = append(d.lines, line{x0: edge(x0, x1, 8), y0: y, x1: x, y1: y + 8, class: "msg", label: say.LostMessage.With(label).In(d.language), lost: true})
}

// edge moves an x by a bar's half width towards another column.
func edge(x, towards, by int) int {
	if towards < x {
		return x - by
	}
	return x + by
}

func (d *drawing) word(english string) string { return say.Text(english).In(d.language) }

// marks returns the symbols of all events. They go on top of the messages, whose labels avoid them.
func (d *drawing) marks() string {
	before := d.b.String()
	d.labelled = map[int64]bool{}
	for _, i := range d.l.Rows {
		d.mark(i)
	}
	marks := d.b.String()[len(before):]
	d.b.Reset()
	d.b.WriteString(before)
	return marks
}

func (d *drawing) mark(i int32) {
	l, h := d.l, d.l.h
	e := &h.Events[i]
	x, y := l.column(e.Node), l.row(i)
	if n := l.step[i-l.lo]; n > 0 && l.steps[n-1].Violation {
		where := x
		if x == 0 {
			where = stepNumberX
		}
		d.f(`<circle cx="%d" cy="%d" r="13" class="ring"/>`, where, y)
	}
	if x == 0 {
		if e.Kind == history.FaultBegan && !d.framed[i] { // it hits no node in particular
			d.text(gutter+4, y+4, beside, "w", say.FaultNumber.With(say.Number(e.Value)).In(d.language))
		}
		return
	}
	switch e.Kind {
	case history.WriteAccepted:
		d.f(`<path d="M%d %dl7 7l-7 7l-7 -7z" class="write g%d"/>`, x, y-7, d.colours.Of(e.Peer))
		d.text(x+17, y+4, beside, "o", fmt.Sprintf("v%d", e.Value))
	case history.WriteRefused:
		d.f(`<path d="M%d %dl7 7l-7 7l-7 -7z" class="refused"/>`, x, y-7)
		d.text(x+17, y+4, beside, "o", d.word("refused"))
	case history.ReadDone:
		d.f(`<circle cx="%d" cy="%d" r="3.5" class="read"/>`, x, y)
		d.text(x+17, y+4, beside, "w", say.ReadVersion.With(say.Number(e.Value)).In(d.language))
	case history.Froze:
		if e.Value == 0 || !d.labelled[e.Value] { // else its label is in another column, or just above
			d.text(x+11, y+13, beside, "w", d.word("frozen"))
		}
		d.labelled[e.Value] = true
	case history.Thawed:
		delete(d.labelled, e.Value)
	case history.Crashed:
		d.f(`<path d="M%d %dl14 14m0 -14l-14 14" class="cross"/>`, x-7, y-7)
		d.text(x+13, y+4, beside, "w", d.word("dead"))
	case history.Promoted:
		d.f(`<path d="M%d %dl8 13h-16z" class="promoted"/>`, x, y-8)
		word := "primary"
		if h.Header.Quorum() {
			word = "leader"
		}
		d.text(x+13, y+4, beside, "w", d.word(word))
	case history.Demoted:
		d.text(x+13, y+4, beside, "w", d.word("replica"))
	case history.Restarted:
		d.f(`<circle cx="%d" cy="%d" r="4" class="read"/>`, x, y)
		d.text(x+13, y+4, beside, "w", d.word("restarts"))
	case history.Extended:
		d.f(`<path d="M%d %dh14" class="renewed"/>`, x-7, y)
	case history.Expired, history.Forgotten:
		d.f(`<path d="M%d %dh22" class="end"/>`, x-11, y)
	case history.GaveUp, history.AcquireFailed, history.ReleaseFailed, history.TimedOut, history.LostLease, history.NotHeld,
		history.Reenters, history.Reentered, history.ReenterFailed, history.Left:
		d.f(`<circle cx="%d" cy="%d" r="4" class="read"/>`, x, y)
	case history.FaultBegan:
		if l.step[i-l.lo] > 0 && !d.framed[i] {
			d.text(x+13, y+4, beside, "w", say.FaultNumber.With(say.Number(e.Value)).In(d.language))
			d.labelled[e.Value] = true
		}
	case history.ClockChanged:
		d.text(x+13, y+4, beside, "w", d.word("clock"))
	}
}

// shortCommand is the name of a request or of its script.
func shortCommand(op *history.Op) string { return sanitize.Text(cmp.Or(op.Name, "?"), 14) }
