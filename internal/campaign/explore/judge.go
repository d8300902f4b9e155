package explore

import (
	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// ways is how many ways the search looks for: those before Hung, which is the last, as hung work
// counts as no progress.
const ways = checker.Hung

// verdict is the result of one schedule.
type verdict struct {
	broken [ways]bool
	acted  uint // which of its faults fired and changed something, a bit for each
	whole  bool // the run ended by itself
	events int
}

var (
	exclusion = property(checker.MutualExclusionID)
	release   = property(checker.OwnerOnlyReleaseID)
	progress  = property(checker.ProgressID)
)

func property(id string) func(*history.History) checker.Finding {
	p, ok := checker.Lookup(id)
	if !ok {
		panic("explore: no property is called " + id)
	}
	return p.Check
}

// judge returns what broke in a run. serves: the store could serve in the end. The checkers decide,
// and are asked only where they could object.
func judge(h *history.History, serves bool) verdict {
	s := see(h)
	v := verdict{acted: s.began &^ s.noEffect, whole: h.Whole && !s.cut, events: len(h.Events)}
	v.broken[checker.Overlap] = s.together && exclusion(h).Verdict == checker.Broken
	v.broken[checker.Damage] = (s.outdated || s.beside) && checker.Damaged(h)
	v.broken[checker.ForeignRelease] = s.foreign && release(h).Verdict == checker.Broken
	v.broken[checker.NoProgress] = !s.probed && serves && v.whole && progress(h).Verdict == checker.Broken
	return v
}

// sight is what one pass over a history shows, enough to say which properties may be broken.
type sight struct {
	began, noEffect uint // faults
	cut             bool // the run was stopped before its end
	together        bool // two clients held, for an instant at least
	beside          bool // a write was accepted while another client than its author held
	outdated        bool // a write was accepted whose author had read an older version
	foreign         bool // a client's command removed an entry of another
	probed          bool // the probe got the lock in time
}

func see(h *history.History) (s sight) {
	var holding uint64
	version, known := int64(0), false
	var healed history.Instant
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		bit := uint64(1) << (e.Node & 63) // a search has far fewer nodes
		switch e.Kind {
		case history.Acquired:
			s.together = s.together || holding&^bit != 0
			holding |= bit
			if h.Role(e.Node) == history.RoleProbe && e.At.Sub(healed) <= checker.ProgressBound(h.Header.Lease) {
				s.probed = true
			}
		case history.Releasing, history.LostLease, history.Crashed:
			holding &^= bit
		case history.ReadDone:
			if !known {
				known, version = true, e.Value
			}
		case history.WriteAccepted:
			s.beside = s.beside || holding&^(uint64(1)<<(e.Peer&63)) != 0
			s.outdated = s.outdated || e.Cause < 0 || h.Events[e.Cause].Value != version
			known, version = true, e.Value
		case history.Removed:
			s.foreign = s.foreign || e.Peer != 0 && e.Peer != e.Owner
		case history.FaultBegan:
			s.began |= 1 << (e.Value - 1)
		case history.WithoutEffect:
			s.noEffect |= 1 << (e.Value - 1)
		case history.Healed:
			healed = e.At
		case history.CutShort:
			s.cut = true
		}
	}
	return s
}
