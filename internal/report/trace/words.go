package trace

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// InWords says what one event of a history is, exactly and without its context:
// every kind has words, the routine of the wire too. (Package explain tells the
// story and leaves routine out.) The text is not clean; indices outside of the
// history give "no event".
func InWords(h *history.History, index int) say.Phrase {
	if index < 0 || index >= len(h.Events) {
		return say.NoEvent.With()
	}
	e := &h.Events[index]
	if words := wordsOf[e.Kind]; words != nil {
		return words(eventWords{h, e})
	}
	return say.AnyEvent.With(say.Name(h.Name(e.Node)), say.Verbatim(e.Kind.String()))
}

// eventWords makes the parts of an event arguments of a phrase.
type eventWords struct {
	h *history.History
	e *history.Event
}

func (w eventWords) node() say.Name      { return say.Name(w.h.Name(w.e.Node)) }
func (w eventWords) peer() say.Name      { return say.Name(w.h.Name(w.e.Peer)) }
func (w eventWords) owner() say.Name     { return say.Name(w.h.Name(w.e.Owner)) }
func (w eventWords) number() say.Number  { return say.Number(w.e.Value) }
func (w eventWords) token() say.Optional { return say.Optional(w.e.Token) }
func (w eventWords) fault() say.Optional { return say.Optional(w.e.Value) }

// text is what the event has to say; 0 is no text.
func (w eventWords) text() say.Verbatim {
	if w.e.Text == 0 {
		return ""
	}
	return say.Verbatim(w.h.Text(w.e.Text))
}

// long is for how long an entry is to live.
func (w eventWords) long() say.Exact { return say.Exact(max(w.e.Value, 0)) }

// hit is the node that a fault hits, if it hits one.
func (w eventWords) hit() say.Name {
	if w.e.Node == 0 {
		return ""
	}
	return w.node()
}

// words says what an event is.
type words = func(eventWords) say.Phrase

// The shapes that several kinds share.
func ofNode(t say.Of1[say.Name]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node()) }
}

func ofNodeText(t say.Of2[say.Name, say.Verbatim]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.text()) }
}

func ofNodePeer(t say.Of2[say.Name, say.Name]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.peer()) }
}

func ofNodePeerText(t say.Of3[say.Name, say.Name, say.Verbatim]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.peer(), w.text()) }
}

func ofNodeOwnerText(t say.Of3[say.Name, say.Name, say.Verbatim]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.owner(), w.text()) }
}

func ofPeerVersion(t say.Of3[say.Name, say.Number, say.Optional]) words {
	return func(w eventWords) say.Phrase { return t.With(w.peer(), w.number(), w.token()) }
}

func ofFault(t say.Of3[say.Number, say.Name, say.Verbatim]) words {
	return func(w eventWords) say.Phrase { return t.With(w.number(), w.hit(), w.text()) }
}

func ofNodeFault(t say.Of2[say.Name, say.Optional]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.fault()) }
}

func ofNodeNumber(t say.Of2[say.Name, say.Number]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.number()) }
}

func ofNodeNumberText(t say.Of3[say.Name, say.Number, say.Verbatim]) words {
	return func(w eventWords) say.Phrase { return t.With(w.node(), w.number(), w.text()) }
}

func always(t say.Of0) words {
	return func(eventWords) say.Phrase { return t.With() }
}

// wordsOf has one sentence per kind of event.
var wordsOf = map[history.Kind]words{
	history.Waits:         ofNodeNumber(say.EventWaits),
	history.Acquired:      func(w eventWords) say.Phrase { return say.EventAcquired.With(w.node(), w.token()) },
	history.AcquireFailed: ofNodeText(say.EventAcquireFailed),
	history.GaveUp:        ofNode(say.EventGaveUp),
	history.Entered:       ofNode(say.EventEntered),
	history.LostLease:     ofNode(say.EventLostLease),
	history.Releasing:     ofNode(say.EventReleasing),
	history.Released:      ofNode(say.EventReleased),
	history.NotHeld:       ofNode(say.EventNotHeld),
	history.ReleaseFailed: ofNodeText(say.EventReleaseFailed),
	history.Finished:      ofNode(say.EventFinished),

	history.ReadDone:      ofPeerVersion(say.EventRead),
	history.WriteAccepted: ofPeerVersion(say.EventWrote),
	history.WriteRefused:  ofPeerVersion(say.EventRefused),

	history.Sent:           ofNodePeerText(say.EventSent),
	history.Executed:       ofNodePeerText(say.EventExecuted),
	history.Replied:        ofNodePeerText(say.EventReplied),
	history.TimedOut:       ofNodePeerText(say.EventTimedOut),
	history.RequestDropped: ofNodePeer(say.EventRequestDropped),
	history.ReplyDropped:   ofNodePeer(say.EventReplyDropped),

	history.Granted: func(w eventWords) say.Phrase {
		return say.EventGranted.With(w.node(), w.owner(), w.long(), w.text())
	},
	history.Extended: func(w eventWords) say.Phrase {
		return say.EventExtended.With(w.node(), w.owner(), w.peer(), w.long(), w.text())
	},
	history.Removed: func(w eventWords) say.Phrase {
		return say.EventRemoved.With(w.node(), w.owner(), w.peer(), w.text())
	},
	history.Expired: ofNodeOwnerText(say.EventExpired),
	history.Replicated: func(w eventWords) say.Phrase {
		return say.EventReplicated.With(w.node(), w.owner(), w.peer(), w.long(), w.text())
	},
	history.MayHaveRemoved: ofNodePeerText(say.EventMayHaveRemoved),
	history.Forgotten:      ofNodeOwnerText(say.EventForgotten),

	history.FaultBegan: ofFault(say.EventFaultBegan),
	history.FaultEnded: ofFault(say.EventFaultEnded),
	history.Froze:      ofNodeFault(say.EventFroze),
	history.Thawed:     ofNodeFault(say.EventThawed),
	history.Crashed:    ofNodeFault(say.EventCrashed),
	history.Restarted:  ofNodeFault(say.EventRestarted),
	history.Promoted:   ofNodePeer(say.EventPromoted),
	history.Demoted:    ofNodePeer(say.EventDemoted),
	history.ClockChanged: func(w eventWords) say.Phrase {
		return say.EventClock.With(w.node(), say.Verbatim(time.Duration(w.e.Value).String()))
	},
	history.Healed:        always(say.EventHealed),
	history.CutShort:      always(say.EventCutShort),
	history.WithoutEffect: func(w eventWords) say.Phrase { return say.EventNoEffect.With(w.number()) },

	history.Reenters: ofNodeNumber(say.EventReenters),
	history.Reentered: func(w eventWords) say.Phrase {
		return say.EventReentered.With(w.node(), w.number(), w.token())
	},
	history.ReenterFailed: ofNodeNumberText(say.EventReenterFailed),
	history.Left:          ofNodeNumberText(say.EventLeft),
}
