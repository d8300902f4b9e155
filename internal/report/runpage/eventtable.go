package runpage

import (
	"fmt"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// eventRow is a line of the table of events: one event, a command with its reply, or several equal
// commands in a row.
type eventRow struct {
	At, Node, Kind, Text string
	Step                 int // number of the step that tells it, 0 for none
	Bad                  bool
}

// eventTable lists the events of a range for readers. A command and its reply are one line, and so
// are equal commands in a row of one client, since a table of all messages would hide what matters.
func eventTable(h *timeline.Timeline, st *story, lo, hi int32, limit int, stepNumber func(i int) int) (rows []eventRow, more int) {
	t := tabler{h: h, st: st, number: stepNumber, calls: make([]callRun, len(h.Header.Nodes)+1), hi: hi}
	for t.next < len(st.Steps) && st.Steps[t.next].Event < lo {
		t.next++
	}
	for i := lo; i <= hi; i++ {
		t.take(i)
	}
	for id := range t.calls {
		t.flush(history.NodeID(id))
	}
	shown := min(len(t.rows), limit)
	return t.rows[:shown], len(t.rows) - shown
}

// tabled is the range of a table: at most mostTabled events, those around the first violation, or
// the first ones.
func tabled(h *history.History, st *story) (lo, hi int32) {
	n, first := len(h.Events), 0
	if i := bundle.FirstViolation(st.Steps); i >= 0 {
		first = int(st.Steps[i].Event)
	}
	start := max(0, min(first-mostTabled*2/3, n-mostTabled))
	return int32(start), int32(min(start+mostTabled, n)) - 1
}

const mostTabled = 2000

type tabler struct {
	h      *timeline.Timeline
	st     *story
	number func(i int) int // of a step by its index
	next   int             // index of the next step
	hi     int32
	rows   []eventRow
	calls  []callRun // by client: equal commands in a row
}

// callRun is a run of equal commands of one client.
type callRun struct {
	row     int // index into rows
	times   int
	text    string
	last    history.Instant
	pending bool
}

func (t *tabler) take(i int32) {
	e := &t.h.Events[i]
	step, bad := 0, false
	for ; t.next < len(t.st.Steps) && t.st.Steps[t.next].Event == i; t.next++ {
		step, bad = t.number(t.next), t.st.Steps[t.next].Violation
	}
	switch {
	case e.Kind == history.Sent:
		if step == 0 {
			return // its reply has the line
		}
	case e.Kind == history.Executed && step == 0 && t.replied(i):
		return
	case e.Kind == history.Replied && step == 0 && int(e.Node) < len(t.calls):
		t.reply(e)
		return
	}
	if int(e.Node) < len(t.calls) && !e.Kind.OnWire() {
		t.flush(e.Node)
	}
	t.rows = append(t.rows, eventRow{
		At: t.st.at(e.At), Node: t.node(e.Node), Kind: e.Kind.String(),
		Text: t.words(e), Step: step, Bad: bad,
	})
}

// node names a node; an event without a node, such as a fault, has no name.
func (t *tabler) node(id history.NodeID) string {
	if id == 0 {
		return ""
	}
	return sanitize.Text(say.Name(t.h.Name(id)).In(t.st.language), sanitize.MaxName)
}

// replied reports whether the reply of an execution is in the range.
func (t *tabler) replied(i int32) bool {
	for j := i + 1; j <= t.hi && j < i+200; j++ {
		if e := &t.h.Events[j]; e.Cause == i && e.Kind == history.Replied {
			return true
		}
	}
	return false
}

// reply adds a command with its reply, or counts it if it repeats the previous one.
func (t *tabler) reply(e *history.Event) {
	command, took := "", ""
	if _, sent := t.h.Request(e.Cause); sent != nil {
		command = sanitize.Text(t.h.Text(sent.Text), 90)
		took = fmt.Sprintf(" (%.1f ms)", float64(e.At.Sub(sent.At))/1e6)
	}
	text := command + " -> " + sanitize.Text(t.h.Text(e.Text), 60)
	c := &t.calls[e.Node]
	if c.pending && c.text == text {
		c.times++
		c.last = e.At
		return
	}
	t.flush(e.Node)
	*c = callRun{row: len(t.rows), times: 1, text: text, last: e.At, pending: true}
	t.rows = append(t.rows, eventRow{
		At: t.st.at(e.At), Node: t.node(e.Node), Kind: "command",
		Text: text + took,
	})
}

// flush ends a run of equal commands and writes their number.
func (t *tabler) flush(id history.NodeID) {
	if c := &t.calls[id]; c.pending {
		if c.times > 1 {
			t.rows[c.row].Text = say.TimesUntil.With(say.Verbatim(c.text), say.Number(c.times), say.Seconds(c.last)).In(t.st.language)
		}
		c.pending = false
	}
}

// text is the text of an event. For a fault it is the text for readers in the header, not that of
// the scenario.
func (t *tabler) text(e *history.Event) string {
	text := t.h.Text(e.Text)
	if f := t.h.Fault(e.Value); (e.Kind == history.FaultBegan || e.Kind == history.FaultEnded) && f.Number > 0 && f.Text == text {
		return faults.Sentence(f.Values, f.Text).In(t.st.language)
	}
	return text
}

func (t *tabler) words(e *history.Event) string {
	var out say.List
	if text := sanitize.Text(t.text(e), 90); text != "" {
		out = append(out, say.Reason(text))
	}
	add := func(p say.Phrase) { out = append(out, p) }
	name := func(id history.NodeID) say.Name { return say.Name(sanitize.Text(t.h.Name(id), sanitize.MaxName)) }
	if e.Owner != 0 {
		add(say.EntryOf.With(name(e.Owner)))
	}
	if e.Peer != 0 && e.Peer != e.Owner {
		add(say.WithPeer.With(name(e.Peer)))
	}
	switch e.Kind {
	case history.WriteAccepted, history.ReadDone:
		add(say.VersionIs.With(say.Number(e.Value)))
	case history.Granted, history.Extended:
		if e.Value > 0 {
			add(say.ForTime.With(say.Seconds(e.Value)))
		}
	}
	if e.Token != 0 {
		add(say.TokenIs.With(say.Number(e.Token)))
	}
	return out.In(t.st.language)
}
