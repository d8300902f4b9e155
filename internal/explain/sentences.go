package explain

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// sentences has a function for each kind of event with a sentence of its own. It returns nothing
// for an event that is routine, or that another sentence covers. The state is that before the
// event.
var sentences = [...]func(t *narrator, i int32, e *history.Event) say.Phrase{
	history.Acquired:      acquired,
	history.AcquireFailed: acquireFailed,
	history.GaveUp:        gaveUp,
	history.Entered:       entered,
	history.LostLease:     lostLease,
	history.Releasing:     releasing,
	history.NotHeld:       notHeld,
	history.ReleaseFailed: releaseFailed,

	history.WriteAccepted: writeAccepted,
	history.WriteRefused:  writeRefused,

	history.Executed:       executed,
	history.Replied:        replied,
	history.TimedOut:       timedOut,
	history.RequestDropped: requestDropped,
	history.ReplyDropped:   replyDropped,

	history.Granted:   granted,
	history.Extended:  extended,
	history.Removed:   removed,
	history.Expired:   expired,
	history.Forgotten: forgotten,

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

// nothing is the sentence of an event without a step.
var nothing say.Phrase

// sentence returns the sentence for an event, or nothing.
func (t *narrator) sentence(i int32, e *history.Event) say.Phrase {
	if int(e.Kind) >= len(sentences) || sentences[e.Kind] == nil {
		return nothing
	}
	if t.ofProbe(e) && !t.progress {
		return nothing // the final quiet period matters only to a lock that is stuck
	}
	return sentences[e.Kind](t, i, e)
}

func (t *narrator) ofProbe(e *history.Event) bool {
	return slices.ContainsFunc([]history.NodeID{e.Node, e.Peer, e.Owner}, func(id history.NodeID) bool {
		return t.h.Role(id) == history.RoleProbe
	})
}

// What happens to a node, to a node with its peer, and to an entry, where no other sentence covers
// it.
var (
	ofNode = map[history.Kind]say.Of1[say.Node]{
		history.Waits: say.Waits, history.Acquired: say.Acquires, history.Entered: say.Enters, history.Released: say.HearsOfRemoval,
		history.Finished: say.HasPlayed, history.Releasing: say.Releases, history.Thawed: say.RunsAgain,
	}
	ofPeer  = map[history.Kind]say.Of2[say.Node, say.Node]{history.Executed: say.Executes, history.Replied: say.HasReply}
	ofEntry = map[history.Kind]say.Of2[say.Node, say.Node]{
		history.Granted: say.CreatesEntry, history.Extended: say.ExtendsEntry, history.Removed: say.RemovesEntry, history.Replicated: say.CopiesEntry,
	}
)

// plain describes an event that has no sentence here but must be shown.
func (t *narrator) plain(e *history.Event) say.Phrase {
	who := t.who(e.Node)
	if says, ok := ofNode[e.Kind]; ok {
		return says.With(who)
	}
	if says, ok := ofPeer[e.Kind]; ok {
		return says.With(who, t.who(e.Peer))
	}
	if says, ok := ofEntry[e.Kind]; ok {
		return says.With(who, t.who(e.Owner))
	}
	switch e.Kind {
	case history.WriteAccepted:
		return say.Writes.With(t.who(e.Peer), false, false, say.Optional(e.Token))
	case history.ReadDone:
		return say.Reads.With(t.who(e.Peer))
	case history.Sent:
		return say.Sends.With(who, commandNamed(t.h.Op(e.Text)))
	case history.Healed:
		return say.Text("All faults that end are over.")
	}
	var peer say.Verbatim
	if e.Peer != 0 {
		peer = say.Verbatim(t.name(e.Peer))
	}
	return say.Happens.With(who, say.Verbatim(e.Kind.String()), peer)
}

// own returns the next event of a node that is of one of the given kinds and close enough to share
// a sentence, or NoCause. A freeze, crash or failure of the node in between ends the search.
func (t *narrator) own(i int32, node history.NodeID, kinds ...history.Kind) int32 {
	ends := []history.Kind{history.Froze, history.Crashed, history.AcquireFailed, history.GaveUp, history.TimedOut}
	next := t.h.Next(i, together, func(e *history.Event) bool {
		return e.Node == node && (slices.Contains(kinds, e.Kind) || slices.Contains(ends, e.Kind))
	})
	if next >= 0 && !slices.Contains(kinds, t.h.Events[next].Kind) {
		return history.NoCause
	}
	return next
}
