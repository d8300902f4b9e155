package checker

import (
	"strconv"
	"strings"
	"time"

	"lockstep/internal/history"
)

// Judgement is a history with everything that the checkers have to say about it.
type Judgement struct {
	History  *history.History
	Findings []Finding // one per property, in the order of All
	Letter   Letter    // the worst outcome, as one letter
	Faults   []FiredFault
	Overlap  time.Duration // how long two or more clients believed to hold the lock
	Acquired int           // successful acquisitions
	CutShort bool          // the run was stopped before its end
	Waited   bool          // whether any client ever had to wait for another
}

// FiredFault says whether a planned fault happened.
type FiredFault struct {
	history.Fault
	Times int // 0: it never fired
}

// Letter is an outcome: S safe, V mutual exclusion violated, F a release removed
// another owner's entry, VF both, D stuck, L a bounded loss of liveness only,
// "?" when the run tested nothing.
type Letter string

// The letters.
const (
	LetterSafe    Letter = "S"
	LetterV       Letter = "V"
	LetterF       Letter = "F"
	LetterVF      Letter = "VF"
	LetterStuck   Letter = "D"
	LetterDelay   Letter = "L"
	LetterUnknown Letter = "?"
)

// Judge runs every property over the history and then asks whether the run was
// a test at all.
//
// The trap is the green run in which nothing happened. A scenario pauses A "when
// A is in its critical section", a typo lets B win every race, A never enters,
// nothing is paused, nothing overlaps: every property holds, and nobody learned
// anything. So a property that is kept becomes unknown
//
//   - when the run was cut short, because the violation may have been next; and
//   - when a planned fault never began, because the story was not the one that
//     the author wrote; and
//   - when no client ever had to wait for another, because a lock that nobody
//     contends for keeps every promise. Progress is exempt: one client alone
//     can find out that a lock is stuck.
//
// A broken property stays broken: evidence does not become weaker because some
// other part of the plan did not happen.
func Judge(h *history.History) Judgement {
	seen := survey(h)
	j := Judgement{
		History:  h,
		Overlap:  seen.overlap,
		Acquired: seen.acquired,
		Waited:   seen.contended,
		CutShort: seen.cutShort,
	}
	for _, f := range h.Header.Faults {
		j.Faults = append(j.Faults, FiredFault{Fault: f, Times: seen.fired[int64(f.Number)]})
	}
	unfired := unfiredReason(j.Faults)
	j.Findings = make([]Finding, 0, len(registry))
	for _, p := range registry {
		f := p.Check(h)
		f.Property = p.ID
		if f.Verdict == Kept {
			f = vacuous(f, &j, unfired)
		}
		j.Findings = append(j.Findings, f)
	}
	j.Letter = letter(&j)
	return j
}

// Finding returns the finding of one property; a finding of verdict Unknown for
// a property that does not exist.
func (j *Judgement) Finding(id string) Finding {
	for i := range j.Findings {
		if j.Findings[i].Property == id {
			return j.Findings[i]
		}
	}
	return Finding{Property: id, Verdict: Unknown, Reason: "no checker has this property"}
}

// WhyUnknown says why the letter is unknown; "" when it is known.
func (j *Judgement) WhyUnknown() string {
	if j.Letter != LetterUnknown {
		return ""
	}
	for _, id := range []string{MutualExclusionID, OwnerOnlyReleaseID} {
		if f := j.Finding(id); f.Verdict == Unknown {
			return f.Reason
		}
	}
	return "nothing was put to the test"
}

// vacuous turns a kept finding of a run that was no test into an unknown one.
func vacuous(f Finding, j *Judgement, unfired string) Finding {
	switch {
	case j.CutShort:
		f.Verdict, f.Reason = Unknown, "the run was cut short"
	case unfired != "":
		f.Verdict, f.Reason = Unknown, unfired
	case !j.Waited && f.Property != ProgressID:
		f.Verdict, f.Reason = Unknown, "no client ever had to wait for another"
	}
	return f
}

// unfiredReason names the planned faults that never began; "" when there are none.
func unfiredReason(faults []FiredFault) string {
	var parts []string
	for _, f := range faults {
		if f.Times > 0 {
			continue
		}
		text := f.Text
		if text == "" {
			text = f.Verb
		}
		parts = append(parts, "fault "+strconv.Itoa(f.Number)+" never fired: "+text)
	}
	return strings.Join(parts, "; ")
}

// letter condenses the findings. Damage comes before standstill, standstill
// before delay, and only a run that put mutual exclusion to the test, and in which
// nobody may have been robbed, may earn an S or an L.
func letter(j *Judgement) Letter {
	exclusion := j.Finding(MutualExclusionID).Verdict
	intruded := exclusion == Broken
	release := j.Finding(OwnerOnlyReleaseID)
	robbed := release.Verdict == Broken
	switch {
	case intruded && robbed:
		return LetterVF
	case robbed:
		return LetterF
	case intruded:
		return LetterV
	case j.Finding(ProgressID).Verdict == Broken:
		return LetterStuck
	case exclusion == Unknown || release.Doubts > 0:
		return LetterUnknown
	case delayed(j.History):
		return LetterDelay
	default:
		return LetterSafe
	}
}
