package checker

import (
	"cmp"
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
	// Untested says what of the plan did not happen, "" when all did: the end is missing, a
	// fault never fired or changed nothing.
	Untested string
}

// FiredFault says whether a planned fault happened.
type FiredFault struct {
	history.Fault
	Times     int  // 0: it never fired
	InVain    bool // it fired, and changed nothing; when it met nobody, Times is 0
	Contended bool // from its first begin on some client had to wait for another
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
//   - when the run was cut short, or the end of its history is missing, because the
//     violation may have been next; and
//   - when a planned fault never began, or changed nothing, because the story was not
//     the one that the author wrote; and
//   - when no client ever had to wait for another, because a lock that nobody
//     contends for keeps every promise; and
//   - when none had to from a fault on: what came before it says nothing about what
//     the lock does under it.
//
// Progress needs no contention: one client alone can find out that a lock is stuck.
//
// A broken property stays broken: evidence does not become weaker because some
// other part of the plan did not happen.
//
// A log from elsewhere has no end of its own (history.Header.HasEnd): what is kept
// in it is kept until its last line.
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
		fired := seen.faults[int64(f.Number)]
		j.Faults = append(j.Faults, FiredFault{Fault: f, Times: fired.times, InVain: fired.inVain, Contended: fired.contended})
	}
	j.Untested = j.untested()
	uncontended := j.uncontended()
	j.Findings = make([]Finding, 0, len(registry))
	for _, p := range registry {
		f := p.Check(h)
		f.Property = p.ID
		reason := j.Untested
		if p.ID != ProgressID {
			reason = cmp.Or(reason, uncontended)
		}
		if f.Verdict == Kept && reason != "" {
			f.Verdict, f.Reason = Unknown, reason
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

// untested says what of the plan did not happen; "" when all did.
func (j *Judgement) untested() string {
	h := j.History
	switch {
	case j.CutShort && h.WhyCutShort() != "":
		return "the run was cut short: " + h.WhyCutShort()
	case j.CutShort:
		return "the run was cut short"
	case !h.Whole && h.Header.HasEnd():
		return "the end of the history is missing: it stops after " + strconv.Itoa(len(h.Events)) + " events"
	}
	return j.unless(func(f *FiredFault) string {
		switch {
		case f.InVain:
			return "had no effect"
		case f.Times == 0:
			return "never fired"
		}
		return ""
	}, "none of the faults that were drawn had an effect")
}

// uncontended says from when on nobody had to wait for another; "" when somebody
// always had to.
func (j *Judgement) uncontended() string {
	if !j.Waited {
		return "no client ever had to wait for another"
	}
	return j.unless(func(f *FiredFault) string {
		if f.Contended {
			return ""
		}
		return "was followed by no contention"
	}, "none of the faults that were drawn was followed by contention")
}

// unless says what is wrong with the faults. Each that somebody has planned has to be in
// order; of a storm one that is will do, or the drawn reason holds.
func (j *Judgement) unless(wrong func(*FiredFault) string, drawn string) string {
	var parts []string
	raged := false
	for i := range j.Faults {
		f := &j.Faults[i]
		what := wrong(f)
		switch {
		case j.History.Header.Drawn:
			raged = raged || what == ""
		case what != "":
			parts = append(parts, f.say(what))
		}
	}
	if j.History.Header.Drawn && !raged && len(j.Faults) > 0 {
		return drawn
	}
	return strings.Join(parts, "; ")
}

// say puts the fault before a predicate.
func (f *FiredFault) say(predicate string) string {
	return "fault " + strconv.Itoa(f.Number) + " " + predicate + ": " + cmp.Or(f.Text, f.Verb)
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
