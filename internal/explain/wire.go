package explain

import (
	"fmt"
	"strings"

	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// The templates of the wire. Its routine is left out: only what is lost, late or
// given up is told.

// executed tells a request that was long on its way. Stores other than Redis let
// clients wait for the lock inside of a request: that is no delay.
func executed(t *teller, i int32, e *history.Event) string {
	sent := t.cause(e.Cause)
	if sent == nil || sent.Kind != history.Sent || e.At.Sub(sent.At) < together {
		return ""
	}
	switch store := t.h.Name(e.Node); {
	case plan.InRedis(store):
	case t.client(e.Peer).waits || blocking(t.h.Text(sent.Text)):
		return ""
	default:
		return fmt.Sprintf("%s's %s is executed only now, %s after it was sent.",
			t.subject(e.Peer), orCommand(t.command(i)), span(e.At.Sub(sent.At)))
	}
	return fmt.Sprintf("%s's %s reaches %s only now, %s after it was sent.",
		t.subject(e.Peer), orCommand(t.command(i)), t.object(e.Node), span(e.At.Sub(sent.At)))
}

// blocking reports whether a request, as typed, is a blocking query of Consul,
// which waits for a change on purpose.
func blocking(typed string) bool {
	return strings.HasPrefix(typed, "GET ") && strings.Contains(typed, " INDEX ")
}

// replied tells a reply that was long on its way.
func replied(t *teller, i int32, e *history.Event) string {
	done := t.cause(e.Cause)
	if done == nil || done.Kind != history.Executed || e.At.Sub(done.At) < together {
		return ""
	}
	return fmt.Sprintf("%s gets the reply to its %s only now, %s after it was executed.",
		t.subject(e.Node), orCommand(t.command(i)), span(e.At.Sub(done.At)))
}

// timedOut is told unless what it leads to follows at once: the failure of the
// attempt, or the end of the client's patience.
func timedOut(t *teller, i int32, e *history.Event) string {
	if t.client(e.Node).failed || t.own(i, e.Node, history.ReleaseFailed) >= 0 {
		return ""
	}
	limit := e.At.Add(together)
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At <= limit; j++ {
		if n := &t.h.Events[j]; n.Node == e.Node && (n.Kind == history.AcquireFailed || n.Kind == history.GaveUp) {
			return ""
		}
	}
	return fmt.Sprintf("%s gives up on the reply to its %s.", t.subject(e.Node), orCommand(t.command(i)))
}

func requestDropped(t *teller, i int32, e *history.Event) string {
	return fmt.Sprintf("%s's %s is lost on its way to %s%s.",
		t.subject(e.Node), orCommand(t.command(i)), t.object(e.Peer), byFault(t.dropFault(e)))
}

func replyDropped(t *teller, i int32, e *history.Event) string {
	return fmt.Sprintf("%s executes %s's %s, but the reply is lost%s.",
		t.subject(e.Node), t.object(e.Peer), orCommand(t.command(i)), byFault(t.dropFault(e)))
}

// dropFault returns the number of the fault behind a lost message: the one that
// the event names, else the oldest drop that has begun and has not yet acted.
func (t *teller) dropFault(e *history.Event) int64 {
	if e.Value > 0 {
		return e.Value
	}
	if len(t.drops) == 0 {
		return 0
	}
	number := t.drops[0]
	t.drops = t.drops[1:]
	return number
}

// cause returns an event by index, or nil.
func (t *teller) cause(index int32) *history.Event {
	if index < 0 || int(index) >= len(t.h.Events) {
		return nil
	}
	return &t.h.Events[index]
}
