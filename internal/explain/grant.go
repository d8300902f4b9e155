package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// The templates of what the servers have.

// granted is told at the client's own acquisition when that follows at once, or
// at the loss of the reply.
func granted(t *teller, i int32, e *history.Event) say.Phrase {
	if t.own(i, e.Owner, history.Acquired) >= 0 || t.replyLost(i) {
		return nothing
	}
	if t.client(e.Owner).believes {
		return say.HasNewEntry.With(t.who(e.Node), t.who(e.Owner))
	}
	if end := endOf(e); end != 0 {
		return say.Grants.With(t.who(e.Node), t.who(e.Owner), say.Seconds(end))
	}
	return say.GrantsEndless.With(t.who(e.Node), t.who(e.Owner))
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
func extended(t *teller, i int32, e *history.Event) say.Phrase {
	held := t.find(e.Node, e.Owner, e.Text)
	end := say.HasNoEndNow.With()
	if at := endOf(e); at != 0 {
		end = say.EndsAtNow.With(say.Seconds(at))
	}
	if e.Peer != 0 && e.Peer != e.Owner {
		if t.foreign[t.node(e.Peer)] {
			return nothing
		}
		t.foreign[t.node(e.Peer)] = true
		return say.ExtendsForeign.With(t.who(e.Peer), t.command(i), t.who(e.Owner), end)
	}
	if !t.client(e.Owner).believes && t.own(i, e.Owner, history.Acquired) >= 0 {
		return nothing // the second half of an acquisition
	}
	if e.Peer == 0 { // a new leader of a cluster lets every lease begin anew
		return say.ExtendsItself.With(t.who(e.Node), t.who(e.Owner), end)
	}
	if held != nil && held.renewed && e.Value > 0 {
		return nothing
	}
	if t.client(e.Owner).believes && e.Value > 0 {
		return say.Renews.With(t.who(e.Owner), say.Seconds(endOf(e)))
	}
	return say.SetsLease.With(t.who(e.Owner), end)
}

func removed(t *teller, i int32, e *history.Event) say.Phrase {
	switch {
	case e.Peer == 0:
		return say.RemovesItself.With(t.who(e.Node), t.who(e.Owner), t.untold(e.Owner))
	case e.Peer != e.Owner:
		return say.RemovesForeign.With(t.who(e.Peer), t.command(i), t.who(e.Owner))
	case t.client(e.Owner).releasing:
		return say.Releases.With(t.who(e.Owner))
	}
	return say.RemovesOwn.With(t.who(e.Owner), t.command(i))
}

// expired says who does not know: that is what makes an expiry dangerous.
func expired(t *teller, _ int32, e *history.Event) say.Phrase {
	if t.standby[t.node(e.Node)] {
		return nothing
	}
	if held := t.find(e.Node, e.Owner, e.Text); held != nil && held.end == 0 {
		return say.SessionEnds.With(t.who(e.Owner), t.untold(e.Owner))
	}
	switch untold := t.untold(e.Owner); {
	case t.servers() > 1:
		return say.LeaseEndsOn.With(t.who(e.Owner), say.Verbatim(t.name(e.Node)), untold)
	case bool(untold):
		return say.LeaseEnds.With(untold, t.who(e.Owner))
	}
	return say.LeaseIsOver.With(t.who(e.Owner))
}

// untold reports whether the owner of an entry that is gone goes on to believe in it.
func (t *teller) untold(owner history.NodeID) say.Flag { return say.Flag(t.client(owner).believes) }

// forgotten is told at the restart that follows, or else here.
func forgotten(t *teller, i int32, e *history.Event) say.Phrase {
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At == e.At; j++ {
		if n := &t.h.Events[j]; n.Kind == history.Restarted && n.Node == e.Node {
			return nothing
		}
	}
	return say.HasLostEntry.With(t.who(e.Node), t.who(e.Owner), t.untold(e.Owner))
}
