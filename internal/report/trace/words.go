package trace

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// InWords describes one event of a history exactly, without its context. Unlike package explain, it
// has words for every kind, also for the routine on the wire. The text is not clean; an index
// outside the history gives "no event".
func InWords(h *history.History, index int) say.Phrase {
	if index < 0 || index >= len(h.Events) {
		return say.Text("no event")
	}
	e := &h.Events[index]
	if words := wordsOf[e.Kind]; words != nil {
		return words(part{h, e})
	}
	return say.About.With(say.Name(h.Name(e.Node)), say.Verbatim(e.Kind.String()))
}

// words describes an event.
type words = func(part) say.Phrase

// part makes the fields of an event arguments of a phrase.
type part struct {
	h *history.History
	e *history.Event
}

func (p part) node() say.Name         { return say.Name(p.h.Name(p.e.Node)) }
func (p part) peer() say.Name         { return say.Name(p.h.Name(p.e.Peer)) }
func (p part) owner() say.Name        { return say.Name(p.h.Name(p.e.Owner)) }
func (p part) number() say.Number     { return say.Number(p.e.Value) }
func (p part) token() say.Optional    { return say.Optional(p.e.Token) }
func (p part) fault() say.Optional    { return say.Optional(p.e.Value) }
func (p part) text() say.Verbatim     { return say.Verbatim(p.h.Text(p.e.Text)) }
func (p part) lasts() say.Exact       { return say.Exact(max(p.e.Value, 0)) }
func (p part) duration() say.Verbatim { return say.Verbatim(time.Duration(p.e.Value).String()) }

// hit is the node that a fault hits; "" for none.
func (p part) hit() say.Name {
	if p.e.Node == 0 {
		return ""
	}
	return p.node()
}

// of0 to of5 fill a template with parts of the event.
func of0(t say.Of0) words { return func(part) say.Phrase { return t.With() } }

func of1[A say.Part](t say.Of1[A], a func(part) A) words {
	return func(p part) say.Phrase { return t.With(a(p)) }
}

func of2[A, B say.Part](t say.Of2[A, B], a func(part) A, b func(part) B) words {
	return func(p part) say.Phrase { return t.With(a(p), b(p)) }
}

func of3[A, B, C say.Part](t say.Of3[A, B, C], a func(part) A, b func(part) B, c func(part) C) words {
	return func(p part) say.Phrase { return t.With(a(p), b(p), c(p)) }
}

func of4[A, B, C, D say.Part](t say.Of4[A, B, C, D], a func(part) A, b func(part) B, c func(part) C, d func(part) D) words {
	return func(p part) say.Phrase { return t.With(a(p), b(p), c(p), d(p)) }
}

func of5[A, B, C, D, E say.Part](
	t say.Of5[A, B, C, D, E], a func(part) A, b func(part) B, c func(part) C, d func(part) D, e func(part) E,
) words {
	return func(p part) say.Phrase { return t.With(a(p), b(p), c(p), d(p), e(p)) }
}

// wordsOf has one sentence for each kind of event.
var wordsOf = map[history.Kind]words{
	history.Waits:         of2(say.EventWaits, part.node, part.number),
	history.Acquired:      of2(say.EventAcquired, part.node, part.token),
	history.AcquireFailed: of2(say.EventAcquireFailed, part.node, part.text),
	history.GaveUp:        of1(say.EventGaveUp, part.node),
	history.Entered:       of1(say.EventEntered, part.node),
	history.LostLease:     of1(say.EventLostLease, part.node),
	history.Releasing:     of1(say.EventReleasing, part.node),
	history.Released:      of1(say.EventReleased, part.node),
	history.NotHeld:       of1(say.EventNotHeld, part.node),
	history.ReleaseFailed: of2(say.EventReleaseFailed, part.node, part.text),
	history.Finished:      of1(say.EventFinished, part.node),

	history.ReadDone:      of3(say.EventRead, part.peer, part.number, part.token),
	history.WriteAccepted: of3(say.EventWrote, part.peer, part.number, part.token),
	history.WriteRefused:  of3(say.EventRefused, part.peer, part.number, part.token),

	history.Sent:           of3(say.EventSent, part.node, part.peer, part.text),
	history.Executed:       of3(say.EventExecuted, part.node, part.peer, part.text),
	history.Replied:        of3(say.EventReplied, part.node, part.peer, part.text),
	history.TimedOut:       of3(say.EventTimedOut, part.node, part.peer, part.text),
	history.RequestDropped: of2(say.EventRequestDropped, part.node, part.peer),
	history.ReplyDropped:   of2(say.EventReplyDropped, part.node, part.peer),

	history.Granted:        of4(say.EventGranted, part.node, part.owner, part.lasts, part.text),
	history.Extended:       of5(say.EventExtended, part.node, part.owner, part.peer, part.lasts, part.text),
	history.Removed:        of4(say.EventRemoved, part.node, part.owner, part.peer, part.text),
	history.Expired:        of3(say.EventExpired, part.node, part.owner, part.text),
	history.Replicated:     of5(say.EventReplicated, part.node, part.owner, part.peer, part.lasts, part.text),
	history.MayHaveRemoved: of3(say.EventMayHaveRemoved, part.node, part.peer, part.text),
	history.Forgotten:      of3(say.EventForgotten, part.node, part.owner, part.text),

	history.FaultBegan:    of3(say.EventFaultBegan, part.number, part.hit, part.text),
	history.FaultEnded:    of3(say.EventFaultEnded, part.number, part.hit, part.text),
	history.Froze:         of2(say.EventFroze, part.node, part.fault),
	history.Thawed:        of2(say.EventThawed, part.node, part.fault),
	history.Crashed:       of2(say.EventCrashed, part.node, part.fault),
	history.Restarted:     of2(say.EventRestarted, part.node, part.fault),
	history.Promoted:      of2(say.EventPromoted, part.node, part.peer),
	history.Demoted:       of2(say.EventDemoted, part.node, part.peer),
	history.ClockChanged:  of2(say.EventClock, part.node, part.duration),
	history.Healed:        of0(say.EventHealed),
	history.CutShort:      of0(say.EventCutShort),
	history.WithoutEffect: of1(say.EventNoEffect, part.number),

	history.Reenters:      of2(say.EventReenters, part.node, part.number),
	history.Reentered:     of3(say.EventReentered, part.node, part.number, part.token),
	history.ReenterFailed: of3(say.EventReenterFailed, part.node, part.number, part.text),
	history.Left:          of3(say.EventLeft, part.node, part.number, part.text),
}
