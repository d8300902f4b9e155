package checker

import (
	"slices"
	"strconv"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// OwnerOnlyReleaseID names the property that no release frees another client's entry.
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

// checkOwnerOnlyRelease compares, for every entry that a server removed, the client whose command
// it was (Peer) with the client whose entry it was (Owner), as the world recorded them.
//
//	 0 S granted owner=A
//	10 S expired owner=A
//	11 S granted owner=B
//	12 S removed owner=B peer=A     A's late DEL: broken
//
// Overlaps would not show it: B's lock is gone at 12, but nothing overlaps until another client
// asks.
//
// The owner must have lost a lock: it believed that it holds it, or was about to. Removing the
// entry of a dead client, or one that its owner has given up, does no harm. Neither does a waiting
// client that replaces an outdated entry with its own by one command (GETSET): that is how
// a lock without expiry in the store expires.
//
// A removal without a Peer is by the server itself. A history with no other removals leaves the
// property unknown, unless clients have released the lock and the servers' records show what they
// removed of each other's (history.Owned). So does one command that removed an entry of unknown
// owner, unless another one is known to have taken a client's lock: a removal without an Owner, or
// a may-have-removed of a real server.
//
// The first client of a violation removed the entry, the second owned it. The events are the grant
// of the entry and the cause of the removal, if known, and the removal.
func checkOwnerOnlyRelease(h *history.History) Finding {
	f := Finding{Property: OwnerOnlyReleaseID, Verdict: Kept}
	removals, first := 0, int32(0)
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		switch {
		case e.Kind == history.Released && h.Header.Entry == history.Owned:
			removals++ // of an entry of its own, at most
			continue
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
		if e.Peer == e.Owner || !takesLock(h, i) {
			continue
		}
		if f.Count >= MaxViolations { // add would not keep it, so its grant is not searched for
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
		f.Verdict, f.NoOccasion, f.Reason = Unknown, true, say.Text("no client's command removed an entry")
	}
	return f
}

// doubtful names the first of several commands of which it is unknown whose entry they removed.
func doubtful(h *history.History, i int32, count int) say.Phrase {
	e := &h.Events[i]
	command, at := say.Text("a command"), e.At
	if c := e.Cause; c >= 0 && c < i && h.Events[c].Kind == history.Sent {
		command, at = say.Said.With(say.Verbatim(strconv.Quote(h.Text(h.Events[c].Text)))), h.Events[c].At
	}
	return say.WhoseEntry.With(command, say.Verbatim(h.Name(e.Peer)), say.Seconds(at), say.Optional(count-1))
}

// phase returns the last event before i by which a client began or ended to wait or to hold; 0 for
// none.
func phase(h *history.History, client history.NodeID, i int32) history.Kind {
	for i--; i >= 0; i-- {
		e := &h.Events[i]
		if e.Node != client {
			continue
		}
		switch e.Kind {
		case history.Waits, history.Acquired,
			history.GaveUp, history.Finished, history.Releasing, history.LostLease, history.Crashed:
			return e.Kind
		}
	}
	return 0
}

// takesLock reports whether removal i takes the lock away from its owner.
func takesLock(h *history.History, i int32) bool {
	if takesOver(h, i) && sentWaiting(h, i) {
		return false
	}
	return phase(h, h.Events[i].Owner, i) == history.Acquired || aboutToHold(h, i)
}

// sentWaiting reports whether the client whose command caused a removal waited for the lock when it
// sent the command.
func sentWaiting(h *history.History, i int32) bool {
	client := h.Events[i].Peer
	for h.Events[i].Kind != history.Sent { // from the removal by its execution to its request
		cause := h.Events[i].Cause
		if cause < 0 || cause >= i {
			break
		}
		i = cause
	}
	return phase(h, client, i) == history.Waits
}

// takesOver reports whether the command that removed an entry put one of its client's in its place.
func takesOver(h *history.History, i int32) bool {
	e := &h.Events[i]
	for k := i + 1; k < int32(len(h.Events)) && h.Events[k].Cause == e.Cause && e.Cause != history.NoCause; k++ {
		if next := &h.Events[k]; next.Kind == history.Granted && next.Node == e.Node && next.Owner == e.Peer {
			return true
		}
	}
	return false
}

// aboutToHold reports whether the owner of the entry that i removes goes on to acquire by that
// entry, with no other one made for it before.
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

// grantOf returns the event that created the entry that event i removed, or NoCause.
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

// evidence sorts event indices, without NoCause, duplicates, and those after the last argument: a
// hand-made history may name a cause that has not happened yet.
func evidence(indices ...int32) []int32 {
	last := indices[len(indices)-1]
	out := slices.DeleteFunc(slices.Clone(indices), func(i int32) bool { return i < 0 || i > last })
	slices.Sort(out)
	return slices.Compact(out)
}
