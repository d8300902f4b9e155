package explain

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
	"lockstep/internal/timeline"
)

// The templates of what clients do and think, and of the guarded resource.

func acquired(t *teller, i int32, e *history.Event) say.Phrase {
	who, held := t.who(e.Node), t.Held(e.Node)
	enters := say.Flag(t.own(i, e.Node, history.Entered) >= 0)
	if t.Grants && held == nil {
		if owners, _ := t.Owners(); len(owners) > 0 {
			return say.IsToldOther.With(who, enters, t.who(owners[0]))
		}
		return say.IsToldNone.With(who, enters)
	}
	var end history.Instant
	if held != nil {
		end = held.End
	}
	return say.IsGranted.With(who, say.Optional(e.Token), say.Flag(held != nil && t.endless(held)), say.OptionalSeconds(end), enters)
}

// endless reports whether the store could have set an end to an entry, and has not. That is known of
// a key of Redis. A row of a table, a key of etcd without a lease, or one's own record may carry its
// time in itself, where the store does not look.
func (t *teller) endless(held *timeline.Held) bool { return held.End == 0 && t.h.Header.Expires }

func acquireFailed(t *teller, _ int32, e *history.Event) say.Phrase {
	switch {
	case t.Client(e.Node).Failed:
		return nothing // a further failure in the same wait says nothing new
	case t.Held(e.Node) != nil:
		return say.HasItAllTheSame.With(t.who(e.Node))
	}
	return say.AttemptFails.With(t.who(e.Node), t.reason(e))
}

// reason is the text of an event, cut to what fits into a sentence.
func (t *teller) reason(e *history.Event) say.Reason {
	return say.Reason(short(t.h.Text(e.Text), 60))
}

func gaveUp(t *teller, _ int32, e *history.Event) say.Phrase {
	return say.GivesUp.With(t.who(e.Node))
}

func entered(t *teller, i int32, e *history.Event) say.Phrase {
	if c := t.Client(e.Node); c.Believes && e.At.Sub(c.Since) <= together {
		return nothing // told together with the acquisition
	}
	return say.Enters.With(t.who(e.Node))
}

// lostLease says that the client stops, unless it is seen to go on: a write that was under way
// when it was told, or a worker that is not stopped.
func lostLease(t *teller, i int32, e *history.Event) say.Phrase {
	return say.LearnsOfLoss.With(t.who(e.Node), say.Flag(!t.writesOn(i, e.Node)))
}

// writesOn reports whether a client writes after event i and before it gets the lock again.
func (t *teller) writesOn(i int32, id history.NodeID) bool {
	for _, e := range t.h.After(i, timeline.Ever) {
		switch e.Kind {
		case history.WriteAccepted, history.WriteRefused:
			if e.Peer == id {
				return true
			}
		case history.Acquired:
			if e.Node == id {
				return false
			}
		}
	}
	return false
}

// releasing is told at the removal of the entry when that follows at once. A
// client that has been told of its loss releases as a matter of form.
func releasing(t *teller, i int32, e *history.Event) say.Phrase {
	if !t.Client(e.Node).Believes || t.removal(i, e.Node) >= 0 {
		return nothing
	}
	return say.Releases.With(t.who(e.Node))
}

// removal returns the event close to i at which a client's own command removes
// its own entry, or NoCause.
func (t *teller) removal(i int32, owner history.NodeID) int32 {
	for j, e := range t.h.After(i, together) {
		if e.Kind == history.Removed && e.Owner == owner && e.Peer == owner {
			return j
		}
		if e.Node == owner && (e.Kind == history.Froze || e.Kind == history.Crashed) {
			return history.NoCause
		}
	}
	return history.NoCause
}

// released is routine: the removal has been told.
func released(*teller, int32, *history.Event) say.Phrase { return nothing }

// notHeld says where the entry is, as far as the history shows what the store has.
func notHeld(t *teller, _ int32, e *history.Event) say.Phrase {
	if t.Grants && t.Held(e.Node) != nil {
		return say.RemovesNothing.With(t.who(e.Node))
	}
	return say.FindsNothing.With(t.who(e.Node), say.Flag(t.Grants))
}

func releaseFailed(t *teller, _ int32, e *history.Event) say.Phrase {
	if t.Held(e.Node) != nil {
		return say.ReleaseFailsEntryStays.With(t.who(e.Node))
	}
	return say.ReleaseFails.With(t.who(e.Node), t.reason(e))
}

func writeAccepted(t *teller, i int32, e *history.Event) say.Phrase {
	return say.Writes.With(t.who(e.Peer), t.woke(i, e.Peer), say.Flag(t.Client(e.Peer).Lost), say.Optional(e.Token))
}

func writeRefused(t *teller, i int32, e *history.Event) say.Phrase {
	return say.WriteRefused.With(t.who(e.Peer), t.woke(i, e.Peer), say.Number(e.Token), say.Number(e.Value))
}

// woke reports whether a writer has just been thawed, and that is told with its write.
func (t *teller) woke(i int32, id history.NodeID) say.Flag {
	limit := t.h.Events[i].At.Add(-together)
	for j := int(i) - 1; j >= 0 && t.h.Events[j].At >= limit; j-- {
		e := &t.h.Events[j]
		switch {
		case e.Node != id:
		case e.Kind == history.LostLease:
			return false
		case e.Kind == history.Thawed:
			return true
		}
	}
	return false
}
