package checker

import (
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Impact is the worst that a run did to the data that the lock guards.
type Impact string

// The impacts, from harmless to harmful.
const (
	ImpactKept    Impact = "kept"         // every promise was kept
	ImpactSafe    Impact = "data-safe"    // a promise broke, and the data are unharmed
	ImpactUnknown Impact = "unknown"      // the run does not tell
	ImpactDamaged Impact = "data-damaged" // an update is lost, or a holder's data changed under it
)

// Impacts lists the impacts from harmless to harmful.
var Impacts = []Impact{ImpactKept, ImpactSafe, ImpactUnknown, ImpactDamaged}

// Word names the impact.
func (i Impact) Word() say.Phrase {
	switch i {
	case ImpactKept:
		return say.Text("kept")
	case ImpactSafe:
		return say.Text("data safe")
	case ImpactDamaged:
		return say.ImpactDamaged.With()
	}
	return say.Text("whether the data are safe is unknown")
}

// Impact judges what the run did to the data. ImpactSafe has to be earned like Kept: the history is
// whole, every write can be judged, and some client wrote.
func (j *Judgement) Impact() Impact {
	switch {
	case j.History == nil:
		return ImpactUnknown
	case Damaged(j.History):
		return ImpactDamaged
	}
	broken, kept := false, len(j.Findings) > 0
	for i := range j.Findings {
		broken = broken || j.Findings[i].Verdict == Broken
		kept = kept && j.Findings[i].Verdict == Kept
	}
	switch {
	case broken && unharmed(j.History) && !j.CutShort:
		return ImpactSafe
	case !broken && kept:
		return ImpactKept
	}
	return ImpactUnknown
}

// unharmed reports whether the history is whole, or comes from elsewhere and has no end, and shows
// that no write did damage.
func unharmed(h *history.History) bool {
	return (h.Whole || !h.Header.HasEnd()) && checkNoLostUpdate(h).Verdict == Kept && checkNoStaleWrite(h).Doubts == 0
}
