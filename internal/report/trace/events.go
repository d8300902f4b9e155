package trace

import (
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/history"
)

func (w *traceRun) play() {
	if w.scope.wire {
		w.arrows()
	}
	for i, e := range w.h.All() {
		switch {
		case e.Kind.OnWire():
			if w.scope.wire {
				w.wire(i, e)
			}
		case w.belief(e), w.resource(e), w.again(e):
		default:
			w.process(e)
		}
	}
	for id := range w.nodes {
		w.stop(history.NodeID(id), w.h.End(), "with the run")
	}
}

func (w *traceRun) stop(id history.NodeID, at history.Instant, how string) {
	n := &w.nodes[id]
	for len(n.requests) > 0 {
		w.answered(n.requests[0], at, w.ended("", how))
	}
	for len(n.again) > 0 {
		w.leave(id, at, how)
	}
	for state := range stateCount {
		w.end(id, state, at, how)
	}
}

func (w *traceRun) belief(e *history.Event) bool {
	text := func() string { return `"text":` + w.quote(w.h.Text(e.Text)) }
	switch e.Kind {
	case history.Waits:
		w.begin(e.Node, stateWaiting, e.At, `"round":`+strconv.FormatInt(e.Value, 10))
	case history.Acquired:
		w.end(e.Node, stateWaiting, e.At, "acquired")
		w.begin(e.Node, stateBelieves, e.At, token(e))
	case history.AcquireFailed:
		w.mark(e.Node, e.At, "an attempt fails", text())
	case history.GaveUp:
		w.end(e.Node, stateWaiting, e.At, "gave up")
	case history.Entered:
		w.begin(e.Node, stateInside, e.At, token(e))
	case history.LostLease:
		w.end(e.Node, stateInside, e.At, "told of the loss")
		w.end(e.Node, stateBelieves, e.At, "told of the loss")
		w.mark(e.Node, e.At, "is told that the lock is lost", "")
	case history.Releasing:
		w.end(e.Node, stateInside, e.At, "released")
		w.end(e.Node, stateBelieves, e.At, "released")
		w.begin(e.Node, stateReleasing, e.At, "")
	case history.Released:
		w.end(e.Node, stateReleasing, e.At, "an entry was removed")
	case history.NotHeld:
		w.end(e.Node, stateReleasing, e.At, "there was no entry")
	case history.ReleaseFailed:
		w.end(e.Node, stateReleasing, e.At, "unknown: "+w.h.Text(e.Text))
	case history.Finished:
		w.mark(e.Node, e.At, "has played all its rounds", "")
	default:
		return false
	}
	return true
}

// token is the member for the fencing token of an event; "" without one.
func token(e *history.Event) string {
	if e.Token == 0 {
		return ""
	}
	return `"token":` + strconv.FormatInt(e.Token, 10)
}

// again draws re-entrant acquisitions.
func (w *traceRun) again(e *history.Event) bool {
	switch n := w.node(e.Node); e.Kind {
	case history.Reenters:
		w.mark(e.Node, e.At, "asks for the lock again", "")
	case history.Reentered:
		if n != nil {
			n.again = append(n.again, stretch{since: e.At, args: `"depth":` + strconv.FormatInt(e.Value, 10)})
		}
	case history.ReenterFailed:
		w.mark(e.Node, e.At, "is not given the lock again", `"text":`+w.quote(w.h.Text(e.Text)))
	case history.Left:
		w.leave(e.Node, e.At, w.h.Text(e.Text))
	default:
		return false
	}
	return true
}

func (w *traceRun) leave(id history.NodeID, at history.Instant, how string) {
	n := w.node(id)
	if n == nil || len(n.again) == 0 {
		return
	}
	s := n.again[len(n.again)-1]
	n.again = n.again[:len(n.again)-1]
	w.draw(n.does, slice{ph: 'X', depth: depthAgain, from: s.since, to: at, name: `"held again"`, args: w.ended(s.args, how)})
}

func (w *traceRun) resource(e *history.Event) bool {
	what := ""
	switch e.Kind {
	case history.ReadDone:
		what = fmt.Sprintf("read version %d", e.Value)
	case history.WriteAccepted:
		what = fmt.Sprintf("write version %d", e.Value)
	case history.WriteRefused:
		what = "write refused"
	default:
		return false
	}
	s := slice{ph: 'X', depth: depthRequest, from: e.At, to: e.At, name: w.quote(what)}
	for _, id := range []history.NodeID{e.Node, e.Peer} {
		other := e.Node + e.Peer - id
		if n := w.node(id); n != nil {
			s.args = members(`"with":`+w.quote(w.h.Name(other)), token(e))
			w.draw(n.does, s)
		}
	}
	return true
}

func (w *traceRun) process(e *history.Event) {
	switch e.Kind {
	case history.Froze:
		w.begin(e.Node, stateFrozen, e.At, "")
	case history.Thawed:
		w.end(e.Node, stateFrozen, e.At, "")
	case history.Crashed:
		w.crash(e)
	case history.Restarted:
		w.end(e.Node, stateDown, e.At, "restarted")
	case history.Promoted:
		w.mark(e.Node, e.At, "becomes the primary", `"before":`+w.quote(w.h.Name(e.Peer)))
	case history.Demoted:
		w.mark(e.Node, e.At, "becomes a replica", `"primary":`+w.quote(w.h.Name(e.Peer)))
	case history.ClockChanged:
		w.mark(e.Node, e.At, "its clock is stepped by "+time.Duration(e.Value).String(), "")
	}
}

func (w *traceRun) crash(e *history.Event) {
	if w.node(e.Node) == nil {
		return
	}
	w.stop(e.Node, e.At, "died")
	w.begin(e.Node, stateDown, e.At, "")
}
