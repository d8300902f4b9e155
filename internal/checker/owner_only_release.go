package checker

import (
	"strconv"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// OwnerOnlyReleaseID names the property that a release is personal.
const OwnerOnlyReleaseID = "owner-only-release"

func init() {
	Register(Property{
		ID:      OwnerOnlyReleaseID,
		Summary: "No release removes the entry of another client.",
		Source:  "the Redis documentation of SET, on releasing with a random value",
		Core:    true,
		Check:   checkOwnerOnlyRelease,
	})
}

// checkOwnerOnlyRelease looks at what the servers did, not at what the clients
// believed: every removal of an entry names the client whose command it was
// (Peer) and the client whose entry it was (Owner), and the two must be one.
//
//	 0 S granted owner=A
//	10 S expired owner=A
//	11 S granted owner=B
//	12 S removed owner=B peer=A     A's late DEL: broken
//
// Overlaps could not tell: B may go on for hours without one when no third client
// comes by, yet its lock is gone at 12.
//
// What counts is that a client was robbed: the owner believed to hold, or was about
// to learn that it did. Removing the entry of a dead client, or one that its
// owner has forgotten, robs no client. Nor does a waiting client that, with one
// command, replaces an entry that is out of date with its own (GETSET):
// that is how a lock without expiry in the store expires, and no release, however late
// the command comes.
//
// A removal without a Peer is the server's own doing and says nothing about a client;
// a history with no other removals leaves the property unknown. So does a single
// command that removed an entry of unknown owner, unless another one is
// known to have robbed a client. Such a doubt is a removal without an Owner, or
// may-have-removed: real servers do not tell what they did.
//
// The first client of a violation is the one that removed, the second the one
// that was robbed. The events are the grant of the entry, if the history has it,
// the cause of the removal, if it names one, and the removal.
func checkOwnerOnlyRelease(h *history.History) Finding {
	f := Finding{Property: OwnerOnlyReleaseID, Verdict: Kept}
	removals, first := 0, int32(0)
	phases := make([]phase, len(h.Header.Nodes)+1)
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		if int(e.Node) < len(phases) {
			phases[e.Node].follow(e.Kind)
		}
		switch {
		case e.Kind != history.Removed && e.Kind != history.MayHaveRemoved, e.Peer == 0:
			continue
		case e.Kind == history.MayHaveRemoved || e.Owner == 0:
			if f.Doubts == 0 {
				first = i
			}
			f.Doubts++
			continue
		}
		removals++
		if e.Peer == e.Owner {
			continue
		}
		if !robs(h, i, phases) {
			continue
		}
		if f.Count >= MaxViolations {
			f.Count++
			continue
		}
		f.add(Violation{
			From: e.At, To: e.At,
			Clients: []history.NodeID{e.Peer, e.Owner},
			Events:  evidence(grantOf(h, i), e.Cause, i),
		})
	}
	switch {
	case f.Count > 0:
		f.Verdict = Broken
	case f.Doubts > 0:
		f.Verdict, f.Reason = Unknown, doubtful(h, first, f.Doubts)
	case removals == 0:
		f.Verdict, f.NoOccasion, f.Reason = Unknown, true, say.NoRemoval.With()
	}
	return f
}

// doubtful says of which command it is unknown whose entry it has removed: the first
// of so many.
func doubtful(h *history.History, i int32, count int) say.Phrase {
	e := &h.Events[i]
	command, at := say.Text("a command"), e.At
	if c := e.Cause; c >= 0 && c < i && h.Events[c].Kind == history.Sent {
		command, at = say.InOneWord.With(say.Verbatim(strconv.Quote(h.Text(h.Events[c].Text)))), h.Events[c].At
	}
	return say.WhoseEntry.With(command, say.Verbatim(h.Name(e.Peer)), say.Seconds(at), say.Optional(count-1))
}

// phase is what a client is doing.
type phase struct{ waiting, holding bool }

// follow reports whether the kind of event begins or ends a phase.
func (p *phase) follow(kind history.Kind) bool {
	switch kind {
	case history.Waits:
		*p = phase{waiting: true}
	case history.Acquired:
		*p = phase{holding: true}
	case history.GaveUp, history.Finished, history.Releasing, history.LostLease, history.Crashed:
		*p = phase{}
	default:
		return false
	}
	return true
}

func phaseOf(phases []phase, client history.NodeID) phase {
	if int(client) >= len(phases) {
		return phase{}
	}
	return phases[client]
}

// robs reports whether the removal i takes the lock away from its owner.
func robs(h *history.History, i int32, phases []phase) bool {
	e := &h.Events[i]
	if takesOver(h, i) && sentWaiting(h, i) {
		return false
	}
	return phaseOf(phases, e.Owner).holding || aboutToHold(h, i)
}

// sentWaiting reports whether the client whose command has removed something waited for
// the lock when it sent the command; it may be dead by now.
func sentWaiting(h *history.History, i int32) bool {
	client := h.Events[i].Peer
	for c := h.Events[i].Cause; c >= 0 && c < i && h.Events[i].Kind != history.Sent; c = h.Events[i].Cause {
		i = c // from the removal by its execution to its request
	}
	for i--; i >= 0; i-- {
		var p phase
		if h.Events[i].Node == client && p.follow(h.Events[i].Kind) {
			return p.waiting
		}
	}
	return false
}

// takesOver reports whether the command that removed an entry put one of its
// client's own in its place.
func takesOver(h *history.History, i int32) bool {
	e := &h.Events[i]
	for k := i + 1; k < int32(len(h.Events)) && h.Events[k].Cause == e.Cause && e.Cause != history.NoCause; k++ {
		if next := &h.Events[k]; next.Kind == history.Granted && next.Node == e.Node && next.Owner == e.Peer {
			return true
		}
	}
	return false
}

// aboutToHold reports whether the owner of the entry that i removes goes on to
// acquire by it: it acquires, and no server makes another entry for it before.
func aboutToHold(h *history.History, i int32) bool {
	owner := h.Events[i].Owner
	for k := i + 1; k < int32(len(h.Events)); k++ {
		switch e := &h.Events[k]; {
		case e.Kind == history.Granted && e.Owner == owner, e.Kind == history.Crashed && e.Node == owner:
			return false
		case e.Kind == history.Acquired && e.Node == owner:
			return true
		}
	}
	return false
}

// grantOf returns the index of the event that created the entry which event i
// removed, or NoCause.
func grantOf(h *history.History, i int32) int32 {
	removed := &h.Events[i]
	for k := i - 1; k >= 0; k-- {
		e := &h.Events[k]
		if e.Kind == history.Granted && e.Node == removed.Node && e.Owner == removed.Owner {
			return k
		}
	}
	return history.NoCause
}

// evidence puts event indices into the order of time, which is that of the
// indices, without NoCause, twins and indices after the last one: a hand-made
// history may name a cause that has not happened yet.
func evidence(indices ...int32) []int32 {
	last := indices[len(indices)-1]
	out := make([]int32, 0, len(indices))
	for _, index := range indices {
		if index < 0 || index > last {
			continue
		}
		at := len(out)
		for at > 0 && out[at-1] > index {
			at--
		}
		if at > 0 && out[at-1] == index {
			continue
		}
		out = append(out, 0)
		copy(out[at+1:], out[at:])
		out[at] = index
	}
	return out
}
