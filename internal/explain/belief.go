package explain

import (
	"fmt"

	"lockstep/internal/history"
)

// The templates of what clients do and think, and of the guarded resource.

func acquired(t *teller, i int32, e *history.Event) string {
	who, held := t.subject(e.Node), t.held(e.Node)
	enters := ""
	if t.own(i, e.Node, history.Entered) >= 0 {
		enters = " and enters"
	}
	if t.grants && held == nil {
		owners, _ := t.owners()
		if len(owners) > 0 {
			return fmt.Sprintf("%s is told that it holds the lock%s; the store has an entry of %s.", who, enters, t.object(owners[0]))
		}
		return fmt.Sprintf("%s is told that it holds the lock%s; the store has no entry of it any more.", who, enters)
	}
	token := ""
	if e.Token != 0 {
		token = fmt.Sprintf(" with token %d", e.Token)
	}
	switch {
	case held == nil:
		return fmt.Sprintf("%s is granted the lock%s%s.", who, token, enters)
	case held.end == 0:
		return fmt.Sprintf("%s is granted the lock%s without an end%s.", who, token, enters)
	}
	return fmt.Sprintf("%s is granted the lock%s until %s%s.", who, token, held.end, enters)
}

func acquireFailed(t *teller, _ int32, e *history.Event) string {
	c := t.client(e.Node)
	if c.failed {
		return "" // a further failure in the same wait says nothing new
	}
	if t.held(e.Node) != nil {
		return fmt.Sprintf("%s takes its attempt for failed; the store has its entry all the same.", t.subject(e.Node))
	}
	return fmt.Sprintf("%s's attempt fails: %s.", t.subject(e.Node), reason(t, e))
}

// reason is the text of an event, cut to what fits into a sentence.
func reason(t *teller, e *history.Event) string {
	if text := t.h.Text(e.Text); text != "" {
		return short(text, 60)
	}
	return "its outcome is unknown"
}

func gaveUp(t *teller, _ int32, e *history.Event) string {
	return t.subject(e.Node) + " gives up: it has waited as long as it could."
}

func entered(t *teller, i int32, e *history.Event) string {
	if c := t.client(e.Node); c.believes && e.At.Sub(c.since) <= together {
		return "" // told together with the acquisition
	}
	return t.subject(e.Node) + " enters its critical section."
}

func lostLease(t *teller, _ int32, e *history.Event) string {
	return t.subject(e.Node) + " learns that its lock is lost and stops."
}

// releasing is told at the removal of the entry when that follows at once. A
// client that has been told of its loss releases as a matter of form.
func releasing(t *teller, i int32, e *history.Event) string {
	if !t.client(e.Node).believes || t.removal(i, e.Node) >= 0 {
		return ""
	}
	return t.subject(e.Node) + " releases the lock."
}

// removal returns the event close to i at which a client's own command removes
// its own entry, or NoCause.
func (t *teller) removal(i int32, owner history.NodeID) int32 {
	limit := t.h.Events[i].At.Add(together)
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At <= limit; j++ {
		e := &t.h.Events[j]
		if e.Kind == history.Removed && e.Owner == owner && e.Peer == owner {
			return int32(j)
		}
		if e.Node == owner && (e.Kind == history.Froze || e.Kind == history.Crashed) {
			return history.NoCause
		}
	}
	return history.NoCause
}

// released is routine: the removal has been told.
func released(*teller, int32, *history.Event) string { return "" }

func notHeld(t *teller, _ int32, e *history.Event) string {
	return t.subject(e.Node) + "'s release finds no entry of its own."
}

func releaseFailed(t *teller, _ int32, e *history.Event) string {
	who := t.subject(e.Node)
	if t.held(e.Node) != nil {
		return who + "'s release fails; the store keeps its entry."
	}
	return fmt.Sprintf("%s's release fails: %s.", who, reason(t, e))
}

func writeAccepted(t *teller, i int32, e *history.Event) string {
	if e.Token != 0 {
		return fmt.Sprintf("%s writes with token %d. The resource takes it.", t.waking(i, e.Peer), e.Token)
	}
	return t.waking(i, e.Peer) + " writes. The resource takes it."
}

func writeRefused(t *teller, i int32, e *history.Event) string {
	return fmt.Sprintf("%s writes with token %d. The resource refuses: it has seen %d.",
		t.waking(i, e.Peer), e.Token, e.Value)
}

// waking names a writer, and says so when it has just been thawed.
func (t *teller) waking(i int32, id history.NodeID) string {
	limit := t.h.Events[i].At.Add(-together)
	for j := int(i) - 1; j >= 0 && t.h.Events[j].At >= limit; j-- {
		if e := &t.h.Events[j]; e.Kind == history.Thawed && e.Node == id {
			return t.subject(id) + " wakes and"
		}
	}
	return t.subject(id)
}
