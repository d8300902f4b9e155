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

// judge returns what broke in a run. serves: the store could serve in the end.
func judge(h *history.History, serves bool) verdict {
	acted, cut := acting(h)
	v := verdict{acted: acted, whole: h.Whole && !cut, events: len(h.Events)}
	v.broken[checker.Overlap] = exclusion(h).Verdict == checker.Broken
	v.broken[checker.Damage] = checker.Damaged(h)
	v.broken[checker.ForeignRelease] = release(h).Verdict == checker.Broken
	v.broken[checker.NoProgress] = serves && v.whole && progress(h).Verdict == checker.Broken
	return v
}

// acting returns which faults fired and changed something in a run, a bit for each, and whether it
// was cut short.
func acting(h *history.History) (acted uint, cut bool) {
	for _, i := range h.Milestones() {
		switch e := &h.Events[i]; e.Kind {
		case history.FaultBegan:
			acted |= 1 << (e.Value - 1)
		case history.WithoutEffect:
			acted &^= 1 << (e.Value - 1)
		case history.CutShort:
			cut = true
		}
	}
	return acted, cut
}
