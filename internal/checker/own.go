package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// ofOwn says why a run of a user's own lock is no test of it; nothing if it is one, or for a lock
// of lockstep. The lock may give up each hold as soon as it has begun, and a program may not use
// the servers that it was given, or keep a client out for good: such locks never conflict.
func ofOwn(h *history.History) say.Phrase {
	switch header := &h.Header; {
	case header.Entry == "" && header.Backend != history.Bubble:
		return say.Phrase{}
	case header.Alone != "":
		return say.DidWithoutServers.With(say.Verbatim(header.Alone), say.Seconds(header.AloneAt))
	case neverKept(h):
		return say.Text("each hold ended soon: no client wrote, or held the lock for half a lease")
	case header.Entry == "": // package locktest asks why a client was shut out
		return say.Phrase{}
	}
	if who := shutOut(h); who != 0 {
		return say.NeverLetIn.With(say.Verbatim(h.Name(who)))
	}
	return say.Phrase{}
}

// neverKept reports whether each hold ended soon: no client wrote, or held the lock for half a
// lease. A lock that ends with its lease is held for longer, though its work may not fit in. A
// crash ends a hold that might have lasted.
func neverKept(h *history.History) bool {
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		if (e.Kind == history.WriteAccepted || e.Kind == history.WriteRefused) && h.Role(e.Peer) == history.RoleClient {
			return false
		}
	}
	ended := false
	for _, hold := range history.Holds(h) {
		switch {
		case h.Role(hold.Client) != history.RoleClient, hold.How == history.Crashed, hold.How == history.Acquired:
		case hold.How == 0, hold.End.Sub(hold.Start) >= h.Header.Lease/2:
			return false
		default:
			ended = true
		}
	}
	return ended // none lasted
}

// shutOut returns a client that has given up, did not crash, and was never let in; 0 for none.
func shutOut(h *history.History) history.NodeID {
	excused := make([]bool, len(h.Header.Nodes)+1) // it acquired or crashed
	for _, i := range h.Milestones() {
		if e := &h.Events[i]; int(e.Node) < len(excused) {
			excused[e.Node] = excused[e.Node] || e.Kind == history.Acquired || e.Kind == history.Crashed
		}
	}
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		if e.Kind == history.GaveUp && h.Role(e.Node) == history.RoleClient && !excused[e.Node] {
			return e.Node
		}
	}
	return 0
}
