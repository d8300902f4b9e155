package bundle

import (
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/history"
)

// DiffersAt returns the index of the first step in which two stories differ, or
// -1. Steps are compared by event and node, not by time, because the round
// trips of another protocol shift times a little.
func DiffersAt(a *history.History, as []explain.Step, b *history.History, bs []explain.Step) int {
	for i := range bs {
		if i >= len(as) || deedOf(a, &as[i]) != deedOf(b, &bs[i]) {
			return i
		}
	}
	if len(as) > len(bs) {
		return len(bs)
	}
	return -1
}

// deed is what a step tells, without its time. Names, not ids: two locks may have
// other servers, and the servers come before the resource.
type deed struct {
	kind              history.Kind
	role              history.Role
	node, peer, owner string
	violation         bool
}

func deedOf(h *history.History, s *explain.Step) deed {
	e := &h.Events[s.Event]
	d := deed{kind: e.Kind, role: h.Role(e.Node), violation: s.Violation}
	name := func(id history.NodeID) string {
		switch h.Role(id) {
		case history.RoleClient, history.RoleProbe:
			return h.Name(id)
		}
		return ""
	}
	d.node, d.peer, d.owner = name(e.Node), name(e.Peer), name(e.Owner)
	return d
}

// StoryOf picks the steps of a run that are told, at most limit, and counts those before
// and after them.
func StoryOf(r *Run, limit int) (story []explain.Step, before, after int) {
	all, earlier, later := explain.Tell(r.Timeline(), r.Judgement.Findings)
	story, before, after = explain.Story(all, limit)
	return story, before + earlier, after + later
}

// FirstViolation is the index of the first step that breaks something; -1 for none.
func FirstViolation(steps []explain.Step) int {
	return slices.IndexFunc(steps, func(s explain.Step) bool { return s.Violation })
}

// MaxEverything is how many events of one lock are drawn when all are asked for.
const MaxEverything = 2000

// Window picks at most limit events in a row: those around the first step that
// breaks something, or the first ones.
func Window(h *history.History, steps []explain.Step, limit int) (lo, hi int32) {
	n := len(h.Events)
	if n <= limit {
		return 0, int32(n) - 1
	}
	first := 0
	if n := FirstViolation(steps); n >= 0 {
		first = int(steps[n].Event)
	}
	start := max(0, min(first-limit*2/3, n-limit))
	return int32(start), int32(start+limit) - 1
}
