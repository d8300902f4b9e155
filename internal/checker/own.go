package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// ofOwn says why a run of a user's own lock is no test of it; nothing if it is one, or for a lock
// of lockstep. The lock may not use the servers that it was given, or keep a client out for good,
// which then never conflicts.
func ofOwn(h *history.History) say.Phrase {
	switch header := &h.Header; {
	case header.Entry == "":
		return say.Phrase{}
	case header.Alone != "":
		return say.DidWithoutServers.With(say.Verbatim(header.Alone), say.Seconds(header.AloneAt))
	}
	if who := shutOut(h); who != 0 {
		return say.NeverLetIn.With(say.Verbatim(h.Name(who)))
	}
	return say.Phrase{}
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
