package bundle

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/history"
)

// DiffersAt returns the index of the first step in which two stories differ, or -1. Steps are
// compared by event and node, not by time, which the round trips of another protocol shift.
func DiffersAt(a *history.History, as []explain.Step, b *history.History, bs []explain.Step) int {
	for i := range bs {
		if i >= len(as) || keyOf(a, &as[i]) != keyOf(b, &bs[i]) {
			return i
		}
	}
	if len(as) > len(bs) {
		return len(bs)
	}
	return -1
}

// stepKey identifies a step without its time. It has names, not ids, which depend on the servers of
// the lock.
type stepKey struct {
	kind              history.Kind
	role              history.Role
	node, peer, owner string
	violation         bool
}

func keyOf(h *history.History, s *explain.Step) stepKey {
	e := &h.Events[s.Event]
	client := func(id history.NodeID) string {
		if role := h.Role(id); role != history.RoleClient && role != history.RoleProbe {
			return ""
		}
		return h.Name(id)
	}
	return stepKey{e.Kind, h.Role(e.Node), client(e.Node), client(e.Peer), client(e.Owner), s.Violation}
}

// StoryOf picks at most limit steps of a run to tell, and counts those left out before and after.
func StoryOf(r *Run, limit int) (story []explain.Step, before, after int) {
	all, earlier, later := explain.Tell(r.Timeline(), r.Judgement.Findings)
	story, before, after = explain.Story(all, limit)
	return story, before + earlier, after + later
}

// FirstViolation is the index of the first step that is a violation; -1 for none.
func FirstViolation(steps []explain.Step) int {
	return slices.IndexFunc(steps, func(s explain.Step) bool { return s.Violation })
}
