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
	Lines    []DrawnLine   // what became of the lines that faults are drawn from
	Overlap  time.Duration // how long two or more clients believed to hold the lock
	Acquired int           // successful acquisitions
	CutShort bool          // the run was stopped before its end
	Waited   bool          // whether any client ever had to wait for another
	// Untested says what of the plan did not happen, and is empty when all did: the end is
	// missing, a fault never fired or changed nothing.
	Untested say.Phrase

	seen facts
}

// FiredFault says whether a planned fault happened.
type FiredFault struct {
	history.Fault
	Times     int  // 0: it never fired
	InVain    bool // it fired, and changed nothing; when it met no client, Times is 0
	Contended bool // from its first begin on some client had to wait for another, and could notice: see notice.go
}

// DrawnLine says whether a line of the scenario's list that faults are drawn from had an effect.
type DrawnLine struct {
	history.Line
	Noticed bool // a fault of it had an effect, and from then on some client contended
}

// Judge runs every core property over the history, and those that are asked for, and then
// asks whether the run was a test at all.
//
// The trap is the green run in which nothing happened. A scenario pauses A "when
// A is in its critical section", a typo lets B win every race, A never enters,
// nothing is paused, nothing overlaps: every property holds, and the run shows
// nothing. So a property that is kept becomes unknown
//
//   - when the run was cut short, or the end of its history is missing, because the
//     violation may have been next; and
//   - when a user's own lock did without its servers, or never let some client in (ofOwn); and
//   - when a planned fault never began, or changed nothing, because the story was not
//     the one that the author wrote; and
//   - when no client ever had to wait for another, because a lock without
//     contention keeps every promise; and
//   - when none had to from a fault on, and could notice (see notice.go): what came before
//     it says nothing about what the lock does under it; and
//   - when a hold went on without its entry and no other client asked for the lock (see
//     entries.go), because it might have been let in; and
//   - when the lock never changed hands, because one that lets only one client in keeps two
//     apart by that alone.
//
// Progress needs no contention: one client alone can find out that a lock is stuck. But the
// probe is a fresh client. So progress is unknown, too, when a client has waited for a lock
// that was free, and has not got it.
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
		seen:     seen,
	}
	for _, f := range h.Header.Faults {
		fired := seen.faults[int64(f.Number)]
		j.Faults = append(j.Faults, FiredFault{Fault: f, Times: fired.times, InVain: fired.inVain, Contended: fired.contended})
	}
	for _, line := range h.Header.Lines {
		j.Lines = append(j.Lines, DrawnLine{line, slices.ContainsFunc(j.Faults, func(f FiredFault) bool {
			return f.Line == line.Number && f.Times > 0 && !f.InVain && f.Contended
		})})
	}
	j.Untested = j.untested()
	j.Findings = make([]Finding, 0, len(registry))
	for i := range registry {
		if p := &registry[i]; p.Core || slices.Contains(asked, p.ID) {
			j.Findings = append(j.Findings, j.find(p))
		}
	}
	j.Letter = letter(&j)
	return j
}

// find runs one property over the history. What is kept in a run that was no test of it is
// unknown.
func (j *Judgement) find(p *Property) Finding {
	f := p.Check(j.History)
	f.Property = p.ID
	if f.Verdict != Kept {
		return f
	}
	reason := j.Untested
	switch {
	case !reason.Empty():
	case p.ID == ProgressID:
		reason = j.leftOut()
	default:
		reason = j.unnoticed(p.ID)
	}
	if !reason.Empty() {
		f.Verdict, f.Reason = Unknown, reason
	}
	return f
}

// Finding returns the finding of one property, judging it now if it was not asked for
// before; a finding of verdict Unknown for a property that does not exist.
func (j *Judgement) Finding(id string) Finding {
	for i := range j.Findings {
		if j.Findings[i].Property == id {
			return j.Findings[i]
		}
	}
	if p, ok := Lookup(id); ok && j.History != nil {
		return j.find(&p)
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
	if why := ofOwn(h); !why.Empty() {
		return why
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

// NeverFired reports whether a planned fault did not fire: the story was not told.
func (j *Judgement) NeverFired() bool {
	return slices.ContainsFunc(j.Faults, func(f FiredFault) bool { return f.Times == 0 && !f.Drawn && !j.History.Header.Drawn })
}

// Idle says which lines of the list had no visible effect, though they could
// have been drawn; nothing when there are none.
func (j *Judgement) Idle() say.Phrase {
	var idle say.Remarks
	for i := range j.Lines {
		if l := &j.Lines[i]; !l.Noticed {
			idle = append(idle, l.Said())
		}
	}
	if len(idle) == 0 {
		return say.Phrase{}
	}
	return say.SeveralReasons.With(idle)
}

// Said says that nothing came of the line.
func (l *DrawnLine) Said() say.Phrase {
	return say.NothingCameOf.With(say.Number(l.Number), say.Both{English: cmp.Or(l.Told, l.Text), Chinese: l.TextChinese})
}

// unnoticed says why no client could have noticed that the lock breaks a property; nothing when one could.
func (j *Judgement) unnoticed(property string) say.Phrase {
	if !j.Waited {
		return say.NobodyHadToWait.With()
	}
	reason := j.unless(func(f *FiredFault) say.Phrase {
		if f.Contended {
			return say.Phrase{}
		}
		return say.NoContentionAfter.With(f.said())
	}, say.NoDrawnContended)
	switch {
	case !reason.Empty():
	case len(j.seen.unasked) > 0 && property != OwnerOnlyReleaseID && !j.breaks(MutualExclusionID):
		l := j.seen.unasked[0]
		reason = say.HeldWithoutEntry.With(j.name(l.client), say.Seconds(l.from), say.Seconds(l.to), say.Optional(len(j.seen.unasked)-1))
	case j.seen.alone != 0 && !j.breaks(ProgressID):
		reason = say.NeverChangedHands.With(j.name(j.seen.alone))
	}
	return reason
}

// breaks reports whether a property is broken, whatever the run tested.
func (j *Judgement) breaks(property string) bool {
	p, ok := Lookup(property)
	return ok && p.Check(j.History).Verdict == Broken
}

// leftOut says which client has waited in vain for a lock that was free; nothing when there is none.
func (j *Judgement) leftOut() say.Phrase {
	if len(j.seen.leftOut) == 0 {
		return say.Phrase{}
	}
	l := j.seen.leftOut[0]
	return say.WasLeftOut.With(j.name(l.client), say.Seconds(l.from), say.Seconds(l.to))
}

func (j *Judgement) name(client history.NodeID) say.Verbatim {
	return say.Verbatim(j.History.Name(client))
}

// unless says what is wrong with the faults. Each planned one has to be in order;
// of the drawn ones one is enough, or the drawn reason holds.
func (j *Judgement) unless(wrong func(*FiredFault) say.Phrase, drawn say.Of0) say.Phrase {
	var reasons say.Remarks
	lucky, inOrder := 0, 0 // of the drawn ones
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
	return say.Number(f.Number), say.Both{English: cmp.Or(f.Told, f.Text, f.Verb), Chinese: f.TextChinese}
}
