package trace

import (
	"cmp"
	"slices"

	"lockstep/internal/history"
)

// call holds the arrows that end and begin in an event on the wire; 0 for none.
type call struct{ in, out int64 }

// arrows pairs requests with executions and executions with replies, so that each arrow has both
// ends. At most one arrow begins in an event, even if a server executes a request twice.
func (w *traceRun) arrows() {
	w.calls = make([]call, len(w.h.Events))
	for i, e := range w.h.Each(history.Executed, history.Replied) {
		cause := w.h.At(e.Cause)
		if cause == nil || e.Cause >= i || w.node(e.Node) == nil || w.node(cause.Node) == nil || w.calls[e.Cause].out != 0 {
			continue
		}
		if e.Kind == history.Executed && cause.Kind == history.Sent ||
			e.Kind == history.Replied && cause.Kind == history.Executed {
			w.flows++
			w.calls[e.Cause].out, w.calls[i].in = w.flows, w.flows
		}
	}
}

// wire draws a message. A request is drawn when it ends. The reply is a slice at its end, which the
// arrow back can point to.
func (w *traceRun) wire(i int32, e *history.Event) {
	n := w.node(e.Node)
	if n == nil {
		return
	}
	request, sent := w.h.Request(i)
	text := func(key string) string { return `"` + key + `":` + w.quote(w.h.Text(e.Text)) }
	instant := slice{ph: 'X', depth: depthRequest, from: e.At, to: e.At, flows: [2]int64{w.calls[i].in, w.calls[i].out}}
	switch e.Kind {
	case history.Sent:
		n.requests = append(n.requests, i)
	case history.Executed:
		instant.name = `"executes"`
		if sent != nil {
			instant.name = w.quote(cmp.Or(w.h.Op(sent.Text).Name, "request"))
		}
		instant.args = members(`"for":`+w.quote(w.h.Name(e.Peer)), text("reply"))
		w.draw(n.does, instant)
	case history.Replied:
		w.answered(request, e.At, text("reply"))
		instant.name, instant.args = `"reply"`, text("reply")
		w.draw(n.does, instant)
	case history.TimedOut:
		w.answered(request, e.At, text("error"))
	case history.RequestDropped:
		w.mark(e.Node, e.At, "a request is lost", `"to":`+w.quote(w.h.Name(e.Peer)))
	case history.ReplyDropped:
		w.mark(e.Node, e.At, "a reply is lost", `"to":`+w.quote(w.h.Name(e.Peer)))
	}
}

// answered draws a request that has ended, unless it was drawn already.
func (w *traceRun) answered(sent int32, at history.Instant, how string) {
	if sent == history.NoCause {
		return
	}
	e := &w.h.Events[sent]
	n := w.node(e.Node)
	if n == nil {
		return
	}
	open := slices.Index(n.requests, sent)
	if open < 0 {
		return
	}
	n.requests = slices.Delete(n.requests, open, open+1)
	w.draw(n.does, slice{
		ph: 'X', depth: depthRequest, from: e.At, to: at, name: w.quote(w.h.Text(e.Text)),
		args:  members(`"to":`+w.quote(w.h.Name(e.Peer)), how),
		flows: [2]int64{0, w.calls[sent].out},
	})
}
