package bundle

import (
	"slices"
	"time"

	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/timeline"
)

// Story is the story of a run, and what its pictures and figures show.
type Story struct {
	Run           *Run
	Name          string // by which readers know it
	Measures      *timeline.Measures
	Bars          *Bars
	Steps         []explain.Step
	Before, After int           // steps left out before and after these
	Wrong         explain.False // the assumption behind the first violation
	Differs       int           // index of the first step that another story has otherwise; -1 for none
}

// Narrate makes the story of a run. Without a history it has no story. lag is the replication lag of its plan, 0
// when unknown.
func Narrate(r *Run, name string, lag time.Duration) Story {
	out := Story{Run: r, Name: name, Differs: -1}
	if j := &r.Judgement; j.History != nil {
		t := r.Timeline()
		out.Measures, out.Bars, out.Wrong = t.Measure(), BarsOf(t), explain.Assumption(t, j.Findings, lag)
		out.Steps, out.Before, out.After = explain.Narrate(t, j.Findings)
	}
	return out
}

// Compare finds the first step in which a story differs from another one. Both have a history.
// Steps are compared by event and node, not by time, which the round trips of another protocol
// shift.
func (s *Story) Compare(with *Story) {
	s.Differs = -1
	h, other := s.Run.Judgement.History, with.Run.Judgement.History
	both := min(len(s.Steps), len(with.Steps))
	for i := range both {
		if keyOf(h, &s.Steps[i]) != keyOf(other, &with.Steps[i]) {
			s.Differs = i
			return
		}
	}
	if len(s.Steps) != len(with.Steps) {
		s.Differs = both
	}
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
	all, earlier, later := explain.Narrate(r.Timeline(), r.Judgement.Findings)
	story, before, after = explain.Story(all, limit)
	return story, before + earlier, after + later
}

// FirstViolation is the index of the first step that is a violation; -1 for none.
func FirstViolation(steps []explain.Step) int {
	return slices.IndexFunc(steps, func(s explain.Step) bool { return s.Violation })
}
