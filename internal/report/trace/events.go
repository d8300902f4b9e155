package trace

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"lockstep/internal/history"
)

// play walks through the history once and draws what it meets.
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
		case w.belief(e), w.resource(e), w.grant(e), w.again(e):
		default:
			w.process(e)
		}
	}
	w.finish()
}

// finish closes what is still open when the history ends.
func (w *traceRun) finish() {
	end := w.h.End()
	for id := range w.nodes {
		n := history.NodeID(id)
		w.unanswered(&w.nodes[id], end, `"ended":"with the run"`)
		for state := range stateCount {
			w.end(n, state, end, "with the run")
		}
		for len(w.nodes[id].again) > 0 {
			w.leave(n, end, "with the run")
		}
	}
	for _, g := range w.grants {
		for len(g.open) > 0 {
			w.close(g, 0, end, "with the run")
		}
	}
}

// belief draws what a client does and thinks.
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

// token is the fencing token of an event, if the lock hands out any.
func token(e *history.Event) string {
	if e.Token == 0 {
		return ""
	}
	return `"token":` + strconv.FormatInt(e.Token, 10)
}

// again draws the lock being taken again by its holder.
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

// leave closes the innermost of the locks taken again.
func (w *traceRun) leave(id history.NodeID, at history.Instant, how string) {
	n := w.node(id)
	if n == nil || len(n.again) == 0 {
		return
	}
	s := n.again[len(n.again)-1]
	n.again = n.again[:len(n.again)-1]
	w.draw(n.does, slice{ph: 'X', depth: depthAgain, from: s.since, to: at, name: `"held again"`, args: w.ended(s.args, how)})
}

// resource draws reads and writes, at the resource and at the client.
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

// process draws what becomes of processes and clocks.
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
		w.restart(e)
	case history.Promoted:
		w.mark(e.Node, e.At, "becomes the primary", `"before":`+w.quote(w.h.Name(e.Peer)))
	case history.Demoted:
		w.mark(e.Node, e.At, "becomes a replica", `"primary":`+w.quote(w.h.Name(e.Peer)))
	case history.ClockChanged:
		w.mark(e.Node, e.At, "its clock is stepped by "+time.Duration(e.Value).String(), "")
	}
}

// crash ends all that a process was at.
func (w *traceRun) crash(e *history.Event) {
	n := w.node(e.Node)
	if n == nil {
		return
	}
	w.unanswered(n, e.At, `"ended":"died"`)
	for len(n.again) > 0 {
		w.leave(e.Node, e.At, "died")
	}
	for state := range stateCount {
		w.end(e.Node, state, e.At, "died")
	}
	w.begin(e.Node, stateDown, e.At, "")
	for _, g := range w.grants {
		if g.node == e.Node {
			g.lost = append(g.lost, g.open...)
			for len(g.open) > 0 {
				w.close(g, 0, e.At, "its server died")
			}
		}
	}
}

// commandWord is the name of a request.
func commandWord(op *history.Op) string { return cmp.Or(op.Name, "request") }
