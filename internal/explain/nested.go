package explain

import (
	"fmt"

	"lockstep/internal/history"
)

// The templates of re-entry.

// reenters is told at the outcome when that follows at once.
func reenters(t *teller, i int32, e *history.Event) string {
	if t.own(i, e.Node, history.Reentered, history.ReenterFailed) >= 0 {
		return ""
	}
	return t.subject(e.Node) + " asks for the lock again, which it holds already."
}

func reentered(t *teller, i int32, e *history.Event) string {
	text := t.subject(e.Node) + " takes the lock once more"
	if e.Value > 1 {
		text += fmt.Sprintf(", %d deep", e.Value)
	}
	if asked := t.asked(i, e); asked != nil && e.At.Sub(asked.At) >= together {
		text += fmt.Sprintf(", %s after it asked", span(e.At.Sub(asked.At)))
	}
	return text + "."
}

// asked returns the request for re-entry that an outcome belongs to, or nil.
func (t *teller) asked(i int32, outcome *history.Event) *history.Event {
	for j := int(i) - 1; j >= 0; j-- {
		if e := &t.h.Events[j]; e.Kind == history.Reenters && e.Node == outcome.Node {
			return e
		}
	}
	return nil
}

// reenterFailed says in whose way the client was: most often its own.
func reenterFailed(t *teller, _ int32, e *history.Event) string {
	who := t.subject(e.Node)
	if t.held(e.Node) != nil {
		return who + " does not get the lock once more: its own entry is in the way."
	}
	return fmt.Sprintf("%s does not get the lock once more: %s.", who, reason(t, e))
}

func left(t *teller, _ int32, e *history.Event) string {
	if t.h.Text(e.Text) != "" {
		return fmt.Sprintf("%s's inner release fails: %s.", t.subject(e.Node), reason(t, e))
	}
	return t.subject(e.Node) + " gives the lock back once and goes on."
}
