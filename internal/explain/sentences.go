package explain

import (
	"lockstep/internal/history"
)

// sentences has one template per kind of event. A template answers "" for an
// event that is routine, or that another sentence already tells. Templates see
// the state as it was before the event.
var sentences = [...]func(t *teller, i int32, e *history.Event) string{
	history.Waits:         nil,
	history.Acquired:      acquired,
	history.AcquireFailed: acquireFailed,
	history.GaveUp:        gaveUp,
	history.Entered:       entered,
	history.LostLease:     lostLease,
	history.Releasing:     releasing,
	history.Released:      released,
	history.NotHeld:       notHeld,
	history.ReleaseFailed: releaseFailed,
	history.Finished:      nil,

	history.ReadDone:      nil,
	history.WriteAccepted: writeAccepted,
	history.WriteRefused:  writeRefused,

	history.Sent:           nil,
	history.Executed:       executed,
	history.Replied:        replied,
	history.TimedOut:       timedOut,
	history.RequestDropped: requestDropped,
	history.ReplyDropped:   replyDropped,

	history.Granted:    granted,
	history.Extended:   extended,
	history.Removed:    removed,
	history.Expired:    expired,
	history.Replicated: nil,
	history.Forgotten:  forgotten,

	history.FaultBegan:   faultBegan,
	history.FaultEnded:   faultEnded,
	history.Froze:        froze,
	history.Thawed:       thawed,
	history.Crashed:      crashed,
	history.Restarted:    restarted,
	history.Promoted:     promoted,
	history.ClockChanged: clockChanged,
	history.Healed:       healed,
	history.Demoted:      demoted,

	history.Reenters:      reenters,
	history.Reentered:     reentered,
	history.ReenterFailed: reenterFailed,
	history.Left:          left,
}

// tell returns the sentence for an event, or "".
func (t *teller) tell(i int32, e *history.Event) string {
	if int(e.Kind) >= len(sentences) || sentences[e.Kind] == nil {
		return ""
	}
	if t.ofProbe(e) && !t.progress {
		return "" // the final quiet period matters only to a lock that is stuck
	}
	return sentences[e.Kind](t, i, e)
}

func (t *teller) ofProbe(e *history.Event) bool {
	for _, id := range []history.NodeID{e.Node, e.Peer, e.Owner} {
		if t.h.Role(id) == history.RoleProbe {
			return true
		}
	}
	return false
}

// plain tells an event that has no sentence of its own here but must be shown.
func (t *teller) plain(e *history.Event) string {
	text := t.subject(e.Node)
	switch e.Kind {
	case history.Waits:
		return text + " waits for the lock."
	case history.Entered:
		return text + " enters its critical section."
	case history.Released:
		return text + " hears that its release removed an entry."
	case history.Finished:
		return text + " has played all its rounds."
	case history.ReadDone:
		return t.subject(e.Peer) + " reads the resource."
	case history.Sent:
		return text + " sends " + orCommand(commandName(t.h.Text(e.Text))) + "."
	case history.Granted:
		return text + " creates an entry for " + t.object(e.Owner) + "."
	case history.Extended:
		return text + " extends the entry of " + t.object(e.Owner) + "."
	case history.Removed:
		return text + " removes the entry of " + t.object(e.Owner) + "."
	case history.Replicated:
		return text + " copies the entry of " + t.object(e.Owner) + "."
	case history.Releasing:
		return text + " releases the lock."
	case history.Thawed:
		return text + " runs again."
	case history.Healed:
		return "All faults are over."
	}
	if e.Peer != 0 {
		return text + ": " + e.Kind.String() + " (" + t.name(e.Peer) + ")."
	}
	return text + ": " + e.Kind.String() + "."
}

// own returns the next event of a node within the span that one sentence
// covers, of one of the given kinds, or NoCause. A freeze, crash or failure of
// the node in between ends the search: then there is more to tell.
func (t *teller) own(i int32, node history.NodeID, kinds ...history.Kind) int32 {
	limit := t.h.Events[i].At.Add(together)
	for j := int(i) + 1; j < len(t.h.Events) && t.h.Events[j].At <= limit; j++ {
		e := &t.h.Events[j]
		if e.Node != node {
			continue
		}
		for _, k := range kinds {
			if e.Kind == k {
				return int32(j)
			}
		}
		switch e.Kind {
		case history.Froze, history.Crashed, history.AcquireFailed, history.GaveUp, history.TimedOut:
			return history.NoCause
		}
	}
	return history.NoCause
}
