package checker

import (
	"slices"

	"lockstep/internal/history"
)

// Damaged reports whether the resource was damaged: an update is lost, or a write was accepted
// while a newer holder had read and held. A stale write that comes before that read does no damage:
//
//	 1 R read peer=A
//	10 S granted owner=B; 10.1 B acquired
//	11 R write-accepted peer=A               stale, and B reads what A wrote: no damage
//
//	11 R read peer=B
//	12 R write-accepted peer=A               damage: B computes on with what is no longer there
//
// Fencing tokens can prevent it, whatever clients believe.
func Damaged(h *history.History) bool {
	return checkNoLostUpdate(h).Verdict == Broken || unexpected(h)
}

// unexpected reports whether a write was accepted while a newer holder than its author held
// and had read.
func unexpected(h *history.History) bool {
	f := checkNoStaleWrite(h)
	if f.Verdict != Broken {
		return false
	}
	for i := range f.Violations {
		x := &f.Violations[i]
		if computes(h, x.Clients[1], x.Events[len(x.Events)-1]) {
			return true
		}
	}
	return false
}

// computes reports whether a client holds at an event, and has read the resource since it acquired.
func computes(h *history.History, client history.NodeID, before int32) bool {
	read := false
	for i := before - 1; i >= 0; i-- {
		switch e := &h.Events[i]; {
		case e.Kind == history.ReadDone && e.Peer == client:
			read = true
		case e.Node != client:
		case e.Kind == history.Releasing, e.Kind == history.LostLease, e.Kind == history.Crashed:
			return false
		case e.Kind == history.Acquired:
			return read
		}
	}
	return false
}

// HandsOutTokens reports whether holders have got fencing tokens.
func HandsOutTokens(h *history.History) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Acquired && e.Token != 0 })
}
