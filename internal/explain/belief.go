package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The sentences about clients and the guarded resource.

func acquired(t *narrator, i int32, e *history.Event) say.Phrase {
	who, held := t.who(e.Node), t.Held(e.Node)
	enters := say.Flag(t.own(i, e.Node, history.Entered) >= 0)
	if t.Grants && held == nil && !t.AllDown() {
		if owners, _ := t.Owners(); len(owners) > 0 {
			return say.AcquiresDespiteEntry.With(who, enters, t.who(owners[0]))
		}
		return say.AcquiresWithoutEntry.With(who, enters)
	}
	var end history.Instant
	if held != nil {
		end = held.End
	}
	return say.IsGranted.With(who, say.Optional(e.Token), say.Flag(held != nil && t.endless(held)), say.OptionalSeconds(end), enters)
}

// endless reports whether the store could have set an end to an entry, and has not. A row of a
// table, or a key of etcd without a lease, may have an end in its value, which the store does not
// read.
func (t *narrator) endless(held *timeline.Held) bool { return held.End == 0 && t.h.Header.Expires }

func acquireFailed(t *narrator, _ int32, e *history.Event) say.Phrase {
	c, held := t.Client(e.Node), t.Held(e.Node)
	switch {
	case c.Failed:
		return nothing // not the first attempt in this wait
	case held != nil && held.From >= c.Asked && t.voters() == 1: // one of several servers is not enough
		return say.HasItAllTheSame.With(t.who(e.Node))
	}
	return say.AttemptFails.With(t.who(e.Node), t.reason(e))
}

func (t *narrator) reason(e *history.Event) say.Reason {
	return replyText(t.h.Text(e.Text))
}

func gaveUp(t *narrator, _ int32, e *history.Event) say.Phrase {
	return say.GivesUp.With(t.who(e.Node))
}

func entered(t *narrator, i int32, e *history.Event) say.Phrase {
	if c := t.Client(e.Node); c.Believes && e.At.Sub(c.Since) <= together {
		return nothing // part of the step of the acquisition
	}
	return say.Enters.With(t.who(e.Node))
}

// lostLease says that the client stops, unless it writes afterwards.
func lostLease(t *narrator, i int32, e *history.Event) say.Phrase {
	return say.LearnsOfLoss.With(t.who(e.Node), say.Flag(!t.writesOn(i, e.Node)))
}

// writesOn reports whether a client writes after event i and before it gets the lock again.
func (t *narrator) writesOn(i int32, id history.NodeID) bool {
	next := t.h.Next(i, timeline.Ever, func(e *history.Event) bool {
		return e.Kind == history.Acquired && e.Node == id || writes(e, id)
	})
	return next >= 0 && t.h.Events[next].Kind != history.Acquired
}

// writes reports whether an event is a write of a client.
func writes(e *history.Event, id history.NodeID) bool {
	return (e.Kind == history.WriteAccepted || e.Kind == history.WriteRefused) && e.Peer == id
}

// releasing is left to the removal of the entry if that follows at once, and is omitted after the
// client has learned of its loss.
func releasing(t *narrator, i int32, e *history.Event) say.Phrase {
	next := t.h.Next(i, together, func(n *history.Event) bool {
		return removesOwn(n, e.Node) || n.Node == e.Node && (n.Kind == history.Froze || n.Kind == history.Crashed)
	})
	if !t.Client(e.Node).Believes || next >= 0 && t.h.Events[next].Kind == history.Removed {
		return nothing
	}
	return say.Releases.With(t.who(e.Node))
}

// notHeld says whether the entry is still there, if the history shows it.
func notHeld(t *narrator, i int32, e *history.Event) say.Phrase {
	if n := t.freed(i, e.Node); 0 < n && n < t.voters() {
		return say.RemovesSome.With(t.who(e.Node), say.Number(n), say.Number(t.voters()))
	}
	if held := t.Held(e.Node); held != nil {
		if last := t.h.At(t.Client(e.Node).LastWire); last != nil && last.Kind == history.Replied && t.Find(last.Peer, e.Node, held.Key) == nil {
			return say.FindsNothingThere.With(t.who(e.Node), t.who(last.Peer))
		}
		return say.RemovesNothing.With(t.who(e.Node))
	}
	return say.FindsNothing.With(t.who(e.Node), say.Flag(t.Grants))
}

// voters returns how many servers have an entry each of one lock: of primaries, even of two, one
// decides.
func (t *narrator) voters() int {
	if t.h.Header.Topology != "independent" {
		return 1
	}
	return t.Servers()
}

// freed returns from how many servers a client has removed its entry since its release began.
func (t *narrator) freed(i int32, id history.NodeID) (n int) {
	for _, e := range t.h.Before(i, timeline.Ever) {
		switch {
		case e.Kind == history.Releasing && e.Node == id:
			return n
		case removesOwn(e, id):
			n++
		}
	}
	return n
}

func releaseFailed(t *narrator, _ int32, e *history.Event) say.Phrase {
	if t.Held(e.Node) != nil {
		return say.ReleaseFailsEntryStays.With(t.who(e.Node))
	}
	return say.ReleaseFails.With(t.who(e.Node), t.reason(e))
}

func writeAccepted(t *narrator, i int32, e *history.Event) say.Phrase {
	return say.Writes.With(t.who(e.Peer), t.woke(i, e.Peer), say.Flag(t.Client(e.Peer).Lost), say.Optional(e.Token))
}

func writeRefused(t *narrator, i int32, e *history.Event) say.Phrase {
	return say.WriteRefused.With(t.who(e.Peer), t.woke(i, e.Peer), say.Number(e.Token), say.Number(e.Value))
}

// woke reports whether a writer has just been thawed, which its write then mentions.
func (t *narrator) woke(i int32, id history.NodeID) say.Flag {
	for _, e := range t.h.Before(i, together) {
		if e.Node == id && (e.Kind == history.LostLease || e.Kind == history.Thawed) {
			return e.Kind == history.Thawed
		}
	}
	return false
}
