package checker

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
	"lockstep/internal/say"
)

// Judgement is a history with what the checkers found.
type Judgement struct {
	History  *history.History
	Findings []Finding // one per property that was judged, in the order of All
	Letter   Letter    // the worst outcome, as one letter
	Faults   []FiredFault
	Lines    []DrawnLine   // from which faults are drawn
	Overlap  time.Duration // how long two or more clients believed that they hold the lock
	Acquired int           // successful acquisitions
	CutShort bool          // the run was stopped before its end
	Waited   bool          // whether a client ever had to wait for another
	// Untested says what of the plan did not happen: the end is missing, a fault never fired or
	// changed nothing, or its end never came. It is empty when all happened.
	Untested say.Phrase

	seen facts
}

// FiredFault says whether a planned fault happened.
type FiredFault struct {
	history.Fault
	Times    int  // 0: it never fired
	NoEffect bool // it changed nothing; Times is 0 when its target was not there
	// Partless says why the lock could not notice it, see part.go; then NoEffect is set.
	Partless  say.Phrase
	Endless   bool // the moment that should end it never came, not even once, so it lasted until everything healed
	Contended bool // a client could notice it, see notice.go

	began int32 // the event with which it began first
	ended bool  // by itself, at least once
}

// DrawnLine is a line of the scenario's list from which faults are drawn.
type DrawnLine struct {
	history.Line
	Noticed bool // one of its faults had an effect that a client could notice
}

// Judge runs every core property over the history, and the asked ones. A property that is kept
// becomes unknown if the run did not test it: the history lacks its end, the story was not played
// as planned (untested), or no client could have noticed a violation (unnoticed). Progress needs no
// contention, but it is unknown, too, when a client other than the probe has waited for a free lock
// and never got it (leftOut).
//
// A broken property stays broken. What is kept in a log from elsewhere, which has no end
// (history.Header.HasEnd), is kept until its last line.
func Judge(h *history.History, asked ...string) Judgement {
	seen := survey(h)
	j := Judgement{
		History:  h,
		Overlap:  seen.overlap,
		Acquired: seen.acquired,
		Waited:   seen.contended,
		CutShort: seen.cutShort,
		Faults:   seen.faults,
		seen:     seen,
	}
	partless := partless(h)
	for i := range j.Faults {
		f := &j.Faults[i]
		f.Partless = partless[int64(f.Number)]
		f.NoEffect = f.NoEffect || !f.Partless.Empty()
	}
	for _, line := range h.Header.Lines {
		j.Lines = append(j.Lines, DrawnLine{line, slices.ContainsFunc(j.Faults, func(f FiredFault) bool {
			return f.Line == line.Number && f.Times > 0 && !f.NoEffect && f.Contended
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

// find runs one property over the history. If the run was no test of it, it is unknown, not kept.
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

// Finding returns the finding of one property, which is judged now if necessary; an Unknown one for
// a property that does not exist.
func (j *Judgement) Finding(id string) Finding {
	for i := range j.Findings {
		if j.Findings[i].Property == id {
			return j.Findings[i]
		}
	}
	if p, ok := Lookup(id); ok && j.History != nil {
		return j.find(&p)
	}
	return Finding{Property: id, Verdict: Unknown, Reason: say.Text("no checker judges this property")}
}

// NotAsked returns the properties that were not judged, as they are not core and nothing asked for
// them.
func (j *Judgement) NotAsked() (ids []string) {
	for i := range registry {
		id := registry[i].ID
		if !slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Property == id }) {
			ids = append(ids, id)
		}
	}
	return ids
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

// untested says what of the plan did not happen; nothing when all happened.
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
		case !f.Partless.Empty():
			number, fault := f.said()
			return say.HadNoPart.With(number, fault, f.Partless)
		case f.NoEffect:
			return say.HadNoEffect.With(f.said())
		case f.Times == 0:
			return say.NeverFired.With(f.said())
		case f.Endless:
			return say.EndNeverCame.With(f.said())
		}
		return say.Phrase{}
	}, say.NoDrawnHadEffect)
}

// NeverFired reports whether a planned fault did not fire.
func (j *Judgement) NeverFired() bool {
	return slices.ContainsFunc(j.Faults, func(f FiredFault) bool { return f.Times == 0 && !f.Drawn && !j.History.Header.Drawn })
}

// Idle names the lines whose faults no client could notice; nothing when there are none.
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
	return say.Said.With(idle)
}

// Said says that the line had no effect.
func (l *DrawnLine) Said() say.Phrase {
	return say.NothingCameOf.With(say.Number(l.Number), faults.Sentence(l.Values, l.Text))
}

// unnoticed says why no client could have noticed a violation of a property; nothing when one
// could.
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
	case !j.seen.served && !j.breaks(ProgressID):
		if reason = say.NobodyAcquired.With(); j.seen.acquired > 0 {
			reason = say.Text("no client but the probe acquired the lock")
		}
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

// leftOut names a client that waited for a free lock and did not get it; nothing when there is
// none.
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

// unless says what is wrong with the faults. All planned ones have to be in order; of the drawn
// ones one is enough, else the reason drawn holds.
func (j *Judgement) unless(wrong func(*FiredFault) say.Phrase, drawn say.Of0) say.Phrase {
	var reasons say.Remarks
	random, inOrder := 0, 0 // drawn faults
	for i := range j.Faults {
		f := &j.Faults[i]
		reason := wrong(f)
		switch {
		case f.Drawn || j.History.Header.Drawn:
			random++
			if reason.Empty() {
				inOrder++
			}
		case !reason.Empty():
			reasons = append(reasons, reason)
		}
	}
	if random > 0 && inOrder == 0 {
		reasons = append(reasons, drawn.With())
	}
	switch {
	case len(reasons) == 0:
		return say.Phrase{}
	case len(reasons) == 1:
		return reasons[0]
	}
	return say.Said.With(reasons)
}

// said is the fault as the arguments of a phrase.
func (f *FiredFault) said() (say.Number, say.Part) {
	return say.Number(f.Number), faults.Sentence(f.Values, cmp.Or(f.Text, f.Verb))
}
