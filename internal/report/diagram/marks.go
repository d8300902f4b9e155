package diagram

import (
	"fmt"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
	"lockstep/internal/world"
)

// lateAfter is how long a message must travel to be drawn as late.
const lateAfter = 250 * time.Millisecond

// message draws the arrow that ends at an event, if there is one.
func (d *drawing) message(i int32) {
	l, h := d.l, d.l.h
	e := &h.Events[i]
	d.arrives = i
	switch e.Kind {
	case history.Executed:
		if l.shown(e.Cause) {
			sent := &h.Events[e.Cause]
			d.arrow(sent.Node, e.Node, l.row(e.Cause), l.row(i), e.At.Sub(sent.At), shortCommand(h.Text(sent.Text)), h.Text(sent.Text), true)
		}
	case history.Replied:
		if l.shown(e.Cause) {
			done := &h.Events[e.Cause]
			if done.Kind == history.Sent {
				d.unseen(e.Cause, i)
				return
			}
			d.arrow(done.Node, e.Node, l.row(e.Cause), l.row(i), e.At.Sub(done.At), clean.Text(h.Text(e.Text), 14), h.Text(e.Text), false)
		}
	case history.RequestDropped:
		var label say.Phrase
		if l.shown(e.Cause) {
			label = say.Text(shortCommand(h.Text(h.Events[e.Cause].Text)))
		}
		d.lost(e.Node, e.Peer, l.row(i), label)
	case history.ReplyDropped:
		d.lost(e.Node, e.Peer, l.row(i), say.Text("reply"))
	case history.WriteAccepted, history.WriteRefused, history.ReadDone:
		if from, to := l.column(e.Peer), l.column(e.Node); from > 0 && to > 0 {
			y := l.row(i)
			d.f(`<path d="M%d %dL%d %d" class="msg to"/>`, edge(from, to, 9), y-3, edge(to, from, 8), y)
		}
	}
}

// arrow draws a message from one column to another. Requests have their label
// above the middle, replies below it.
func (d *drawing) arrow(from, to history.NodeID, y0, y1 int, took time.Duration, label, full string, above bool) {
	x0, x1 := d.l.column(from), d.l.column(to)
	if x0 == 0 || x1 == 0 {
		return
	}
	class := "msg"
	if took >= lateAfter {
		class, label = "msg late", say.LateMessage.With(say.Verbatim(label)).In(d.language)
	}
	d.f(`<g%s><title>%s</title><path d="M%d %dL%d %d" class="%s to"/>`,
		d.handle(), escape(clean.Text(full, 100)), edge(x0, x1, 8), y0, edge(x1, x0, 8), y1, class)
	if d.l.truly {
		d.b.WriteString(`</g>`) // in true time there is no room for words
		return
	}
	// Near the sender, where other columns' bars are least in the way; beside the
	// line when it is steep.
	x, y := x0+(x1-x0)*2/5, y0+(y1-y0)*2/5
	steep := 4*(y1-y0) > max(x1-x0, x0-x1)
	switch {
	case steep && x1 < x0:
		d.text(x-9, y-2, ending, "w", label)
	case steep:
		d.text(x+9, y-2, beside, "w", label)
	case above:
		d.text(x, y-3, middle, "w", label)
	default:
		d.text(x, y+9, middle, "w", label)
	}
	d.b.WriteString(`</g>`)
}

// handle names the event with which a message arrives, where somebody asks for it.
func (d *drawing) handle() string {
	if !d.l.Handles {
		return ""
	}
	return fmt.Sprintf(` data-event="%d"`, d.arrives)
}

// unseen draws a command whose execution nobody saw: real servers do not tell
// when it was. The turn at the store is drawn half way, dashed, and says so.
func (d *drawing) unseen(sent, replied int32) {
	s, r := &d.l.h.Events[sent], &d.l.h.Events[replied]
	x0, x1 := d.l.column(s.Node), d.l.column(s.Peer)
	if x0 == 0 || x1 == 0 {
		return
	}
	y0, y1 := d.l.row(sent), d.l.row(replied)
	from, turn := edge(x0, x1, 8), edge(x1, x0, 8)
	title := say.ExecutedUnseen.With(say.Verbatim(clean.Text(d.l.h.Text(s.Text), 100)), say.Verbatim(clean.Text(d.l.h.Text(r.Text), 100)))
	d.f(`<g><title>%s</title><path d="M%d %dL%d %dL%d %d" class="msg unseen to"/>`, escape(title.In(d.language)), from, y0, turn, (y0+y1)/2, from, y1)
	label := shortCommand(d.l.h.Text(s.Text)) + " " + clean.Text(d.l.h.Text(r.Text), 14)
	d.text(x0+(x1-x0)*2/5, (y0+y1)/2+3, middle, "w", label)
	d.b.WriteString(`</g>`)
}

// lost draws a message that ends on its way.
func (d *drawing) lost(from, to history.NodeID, y int, label say.Phrase) {
	x0, x1 := d.l.column(from), d.l.column(to)
	if x0 == 0 || x1 == 0 {
		return
	}
	x := x0 + (x1-x0)*3/5
	d.f(`<path d="M%d %dL%d %d" class="msg"/>`, edge(x0, x1, 8), y, x, y+8)
	d.f(`<path d="M%d %dl10 10m0 -10l-10 10" class="cross"/>`, x-5, y+3)
	d.text((x0+x)/2, y-1, middle, "w", say.LostMessage.With(label).In(d.language))
}

// edge moves an x by a bar's half width towards another column.
func edge(x, towards, by int) int {
	if towards < x {
		return x - by
	}
	return x + by
}

// word is a text of the drawing.
func (d *drawing) word(english string) string { return say.Text(english).In(d.language) }

// mark draws the symbol of an event on its column.
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
		if e.Kind == history.FaultBegan && !d.struck[e.Value] { // it strikes nobody in particular
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
		d.text(x+11, y+13, beside, "w", d.word("frozen"))
	case history.Crashed:
		d.f(`<path d="M%d %dl14 14m0 -14l-14 14" class="cross"/>`, x-7, y-7)
		d.text(x+13, y+4, beside, "w", d.word("dead"))
	case history.Promoted:
		d.f(`<path d="M%d %dl8 13h-16z" class="promoted"/>`, x, y-8)
		word := "primary"
		if plan.InCluster(h.Name(e.Node)) {
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
		if l.step[i-l.lo] > 0 && !d.struck[e.Value] {
			d.text(x+13, y+4, beside, "w", say.FaultNumber.With(say.Number(e.Value)).In(d.language))
		}
	case history.ClockChanged:
		d.text(x+13, y+4, beside, "w", d.word("clock"))
	}
}

// shortCommand is the name of a command, with its script for EVAL.
func shortCommand(text string) string {
	if name := world.ReadRequest(text).Name; name != "" {
		return clean.Text(name, 14)
	}
	return "?"
}
