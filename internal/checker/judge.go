package checker

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Judgement is a history with everything that the checkers have to say about it.
type Judgement struct {
	History  *history.History
	Findings []Finding // one per property that was judged, in the order of All
	Letter   Letter    // the worst outcome, as one letter
	Faults   []FiredFault
	Overlap  time.Duration // how long two or more clients believed to hold the lock
	Acquired int           // successful acquisitions
	CutShort bool          // the run was stopped before its end
	Waited   bool          // whether any client ever had to wait for another
	// Untested says what of the plan did not happen, and is empty when all did: the end is
	// missing, a fault never fired or changed nothing.
	Untested say.Phrase
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

// LetterMeaning is what a letter stands for.
type LetterMeaning struct {
	Letter      Letter
	Word, Means say.Phrase
}

// Letters are the letters, from harmless to harmful, and last the unknown one: each with a word for
// it, and what it means.
var Letters = []LetterMeaning{
	{LetterSafe, say.WordSafe.With(), say.MeansSafe.With()},
	{LetterDelay, say.WordDelayed.With(), say.MeansDelayed.With()},
	{LetterStuck, say.WordStuck.With(), say.MeansStuck.With()},
	{LetterF, say.WordFreed.With(), say.MeansFreed.With()},
	{LetterV, say.WordTwo.With(), say.MeansTwo.With()},
	{LetterVF, say.WordBoth.With(), say.MeansBoth.With()},
	{LetterUnknown, say.WordUnknown.With(), say.MeansUnknown.With()},
}

// Judge runs every core property over the history, and those that are asked for, and then
// asks whether the run was a test at all.
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
func Judge(h *history.History, asked ...string) Judgement {
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
	for i := range registry {
		if p := &registry[i]; p.Core || slices.Contains(asked, p.ID) {
			j.Findings = append(j.Findings, j.find(p, uncontended))
		}
	}
	j.Letter = letter(&j)
	return j
}

// find runs one property over the history. What is kept in a run that was no test of it is
// unknown.
func (j *Judgement) find(p *Property, uncontended say.Phrase) Finding {
	f := p.Check(j.History)
	f.Property = p.ID
	reason := j.Untested
	if p.ID != ProgressID && reason.Empty() {
		reason = uncontended
	}
	if f.Verdict == Kept && !reason.Empty() {
		f.Verdict, f.Reason = Unknown, reason
	}
	return f
}

// Finding returns the finding of one property, which is judged now if nobody has asked for it
// before; a finding of verdict Unknown for a property that does not exist.
func (j *Judgement) Finding(id string) Finding {
	for i := range j.Findings {
		if j.Findings[i].Property == id {
			return j.Findings[i]
		}
	}
	if p, ok := Lookup(id); ok && j.History != nil {
		return j.find(&p, j.uncontended())
	}
	return Finding{Property: id, Verdict: Unknown, Reason: say.NoSuchProperty.With()}
}

// WhyUnknown says why the letter is unknown; nothing when it is known.
func (j *Judgement) WhyUnknown() say.Phrase {
	if j.Letter != LetterUnknown {
		return say.Phrase{}
	}
	for _, id := range []string{MutualExclusionID, OwnerOnlyReleaseID} {
		if f := j.Finding(id); f.Verdict == Unknown {
			return f.Reason
		}
	}
	return say.NothingPutToTest.With()
}

// untested says what of the plan did not happen; nothing when all did.
func (j *Judgement) untested() say.Phrase {
	h := j.History
	switch {
	case j.CutShort:
		return say.WasCutShort.With(say.Verbatim(h.WhyCutShort()))
	case !h.Whole && h.Header.HasEnd():
		return say.EndIsMissing.With(say.Number(len(h.Events)))
	}
	if h.Header.Drawn && len(h.Header.Faults) == 0 {
		return say.NothingDrawn.With()
	}
	return j.unless(func(f *FiredFault) say.Phrase {
		switch {
		case f.InVain:
			return say.HadNoEffect.With(f.said())
		case f.Times == 0:
			return say.NeverFired.With(f.said())
		}
		return say.Phrase{}
	}, say.NoDrawnHadEffect)
}

// NeverFired reports whether a fault that somebody has planned did not fire: the story was not told.
func (j *Judgement) NeverFired() bool {
	return slices.ContainsFunc(j.Faults, func(f FiredFault) bool { return f.Times == 0 && !f.Drawn && !j.History.Header.Drawn })
}

// uncontended says from when on nobody had to wait for another; nothing when somebody
// always had to.
func (j *Judgement) uncontended() say.Phrase {
	if !j.Waited {
		return say.NobodyHadToWait.With()
	}
	return j.unless(func(f *FiredFault) say.Phrase {
		if f.Contended {
			return say.Phrase{}
		}
		return say.NoContentionAfter.With(f.said())
	}, say.NoDrawnContended)
}

// unless says what is wrong with the faults. Each that somebody has planned has to be in
// order; of those that luck has drawn one that is will do, or the drawn reason holds.
func (j *Judgement) unless(wrong func(*FiredFault) say.Phrase, drawn say.Of0) say.Phrase {
	var reasons say.Remarks
	lucky, inOrder := 0, 0 // of those that luck has drawn
	for i := range j.Faults {
		f := &j.Faults[i]
		reason := wrong(f)
		switch {
		case f.Drawn || j.History.Header.Drawn:
			lucky++
			if reason.Empty() {
				inOrder++
			}
		case !reason.Empty():
			reasons = append(reasons, reason)
		}
	}
	if lucky > 0 && inOrder == 0 {
		reasons = append(reasons, drawn.With())
	}
	switch {
	case len(reasons) == 0:
		return say.Phrase{}
	case len(reasons) == 1:
		return reasons[0]
	}
	return say.SeveralReasons.With(reasons)
}

// said is the fault as phrases speak of it.
func (f *FiredFault) said() (say.Number, say.Both) {
	return say.Number(f.Number), say.Both{English: cmp.Or(f.Text, f.Verb), Chinese: f.TextChinese}
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
