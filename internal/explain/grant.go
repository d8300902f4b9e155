package explain

import (
	"fmt"

	"lockstep/internal/history"
)

// The templates of what the servers have.

// granted is told at the client's own acquisition when that follows at once, or
// at the loss of the reply.
func granted(t *teller, i int32, e *history.Event) string {
	if t.own(i, e.Owner, history.Acquired) >= 0 || t.replyLost(i) {
		return ""
	}
	if t.client(e.Owner).believes {
		return fmt.Sprintf("%s has a new entry of %s.", t.subject(e.Node), t.object(e.Owner))
	}
	end := ", without an end"
	if at := endOf(e); at != 0 {
		end = " until " + at.String()
	}
	return fmt.Sprintf("%s grants %s the lock%s. %s does not know yet.",
		t.subject(e.Node), t.object(e.Owner), end, t.subject(e.Owner))
}

// replyLost reports whether the reply of the command that caused event i is lost
// at once.
func (t *teller) replyLost(i int32) bool {
	e := &t.h.Events[i]
	for j := int(i) + 1; e.Cause >= 0 && j < len(t.h.Events) && t.h.Events[j].At == e.At; j++ {
		if n := &t.h.Events[j]; n.Kind == history.ReplyDropped && n.Cause == e.Cause {
			return true
		}
	}
	return false
}

// extended tells the first renewal of a hold, and every extension that is not
// what it seems: of another's entry, or one that takes the end away.
func extended(t *teller, i int32, e *history.Event) string {
	held := t.find(e.Node, e.Owner, e.Text)
	end := "it has no end now"
	if at := endOf(e); at != 0 {
		end = "it ends at " + at.String() + " now"
	}
	if e.Peer != 0 && e.Peer != e.Owner {
		if t.foreign[t.node(e.Peer)] {
			return ""
		}
		t.foreign[t.node(e.Peer)] = true
		return fmt.Sprintf("%s's %s extends %s's entry: %s.",
			t.subject(e.Peer), orCommand(t.command(i)), t.object(e.Owner), end)
	}
	if !t.client(e.Owner).believes && t.own(i, e.Owner, history.Acquired) >= 0 {
		return "" // the second half of an acquisition
	}
	if held != nil && held.renewed && e.Value > 0 {
		return ""
	}
	if t.client(e.Owner).believes && e.Value > 0 {
		return fmt.Sprintf("%s renews its lease until %s.", t.subject(e.Owner), endOf(e))
	}
	return fmt.Sprintf("%s sets the lease of its entry: %s.", t.subject(e.Owner), end)
}

func removed(t *teller, i int32, e *history.Event) string {
	if e.Peer == 0 {
		text := fmt.Sprintf("%s removes %s's entry.", t.subject(e.Node), t.object(e.Owner))
		if t.client(e.Owner).believes {
			text += " Nobody tells " + t.object(e.Owner) + "."
		}
		return text
	}
	if e.Peer != e.Owner {
		return fmt.Sprintf("%s's %s removes %s's entry.",
			t.subject(e.Peer), orCommand(t.command(i)), t.object(e.Owner))
	}
	if t.client(e.Owner).releasing {
		return t.subject(e.Owner) + " releases the lock."
	}
	return fmt.Sprintf("%s's %s removes its own entry.", t.subject(e.Owner), orCommand(t.command(i)))
}

// expired says who does not know: that is what makes an expiry dangerous.
func expired(t *teller, _ int32, e *history.Event) string {
	if t.standby[t.node(e.Node)] {
		return ""
	}
	if held := t.find(e.Node, e.Owner, e.Text); held != nil && held.end == 0 {
		text := fmt.Sprintf("%s's session ends, and its entry with it.", t.subject(e.Owner))
		if t.client(e.Owner).believes {
			text += " Nobody tells " + t.object(e.Owner) + "."
		}
		return text
	}
	lease := "The lease ends."
	if t.servers() > 1 {
		lease = fmt.Sprintf("The lease of %s ends on %s.", t.object(e.Owner), t.name(e.Node))
	}
	switch c := t.client(e.Owner); {
	case c.believes:
		return lease + " Nobody tells " + t.object(e.Owner) + "."
	case t.servers() > 1:
		return lease
	}
	return fmt.Sprintf("%s's entry ends; its lease is over.", t.subject(e.Owner))
}

// forgotten is told at the restart that follows, or else here.
func forgotten(t *teller, i int32, e *history.Event) string {
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At == e.At; j++ {
		if n := &t.h.Events[j]; n.Kind == history.Restarted && n.Node == e.Node {
			return ""
		}
	}
	if t.client(e.Owner).believes {
		return fmt.Sprintf("%s has lost %s's entry. Nobody tells %s.",
			t.subject(e.Node), t.object(e.Owner), t.object(e.Owner))
	}
	return fmt.Sprintf("%s has lost %s's entry.", t.subject(e.Node), t.object(e.Owner))
}
