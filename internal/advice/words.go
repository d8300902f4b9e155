package advice

import (
	"slices"

	"lockstep/internal/measured"
	"lockstep/internal/say"
)

// Line is one thing that an answer says below its sentence.
type Line struct {
	Head say.Phrase
	Text say.Phrase
}

// Sentence is the advice with its reason and its price, or what the program lacks.
func (a *Answer) Sentence() say.Phrase {
	h, r, c := a.have(), a.rule(), a.Best
	switch {
	case a.Nearest != "":
		return h.missing.Phrase()
	case c == nil:
		return say.NoneHere.With(h.at)
	case c.Verdict == measured.Broken:
		return say.NoLockKeeps.With(h.at, r.goal, say.Verbatim(c.Lock), inWords(c.Breaks), c.price())
	case !c.survives():
		return say.MayDo.With(say.Verbatim(c.Lock), say.NotAllSearched.With(say.Text(c.Verdict)), c.price())
	}
	var how say.Phrase
	if a.guarded() && c.Fenced {
		how = say.LetItRefuse.With()
	}
	return say.UseLock.With(say.Verbatim(c.Lock), how, say.Number(len(a.Expected)), h.at, r.harms, c.price())
}

// guarded reports whether the resource is to check tokens.
func (q Question) guarded() bool { return q.rule().tokens == Yes }

// inWords are minimal sets of kinds: those of one kind in words, the others counted.
func inWords(sets [][]string) say.Phrase {
	alone := Singles(sets)
	kinds, pairs := measured.KindsInWords(alone), say.Number(len(sets)-len(alone))
	switch {
	case pairs == 0:
		return say.OnlyKinds.With(kinds)
	case kinds == nil:
		return say.OnlyPairs.With(pairs)
	}
	return say.KindsAndPairs.With(kinds, pairs)
}

// price says nothing where nothing was measured.
func (c *Candidate) price() say.Phrase {
	if c.Cost.Servers == 0 {
		return say.Phrase{}
	}
	parts := say.Series{}
	for _, p := range c.Cost.Says() {
		parts = append(parts, p)
	}
	return say.PriceIs.With(append(parts, say.MeasuredOn.With(say.Number(c.Cost.Servers))))
}

// Lines are what the answer rests on, and what it does not say.
func (a *Answer) Lines() (out []Line) {
	add := func(head string, text say.Phrase) { out = append(out, Line{say.Text(head), text}) }
	c := a.Best
	if c == nil {
		return nil
	}
	if len(a.Instead) > 0 {
		var all say.List
		for _, e := range a.Instead {
			all = append(all, say.LockOn.With(say.Verbatim(e.Lock), e.have().at))
		}
		if a.Instead[0].guarded() && !a.guarded() {
			add("What would do", say.TokensInstead.With(all))
		} else {
			add("What would do", say.SurvivesInstead.With(all))
		}
	}
	if overlaps := c.overlaps(a.Expected); a.guarded() && c.survives() && c.Fenced && overlaps != nil {
		add("Two can still hold it at once", say.RefusedLater.With(inWords(overlaps)))
	}
	if len(c.Stuck) > 0 {
		add("Its price besides: no client gets it after", say.AfterThese.With(inWords(c.Stuck)))
	}
	if len(c.Beyond) > 0 {
		add("Not expected, but it is broken by", say.AfterThese.With(say.OnlyKinds.With(measured.KindsInWords(c.Beyond))))
	}
	if d := a.Second; d != nil {
		if d.survives() {
			add("Runner-up", say.AlsoSurvives.With(say.Verbatim(d.Lock), d.price()))
		} else if d.Verdict == measured.Broken {
			add("Runner-up", say.FailsBy.With(say.Verbatim(d.Lock), inWords(d.Breaks), d.price()))
		} else {
			add("Runner-up", say.MayDo.With(say.Verbatim(d.Lock), say.NotAllSearched.With(say.Text(d.Verdict)), d.price()))
		}
	}
	add("Expected", say.AfterThese.With(say.OnlyKinds.With(measured.KindsInWords(a.Expected))))
	var rests say.List
	for _, r := range c.Found.Rests() {
		rests = append(rests, r.Says)
	}
	add("Searched", say.SearchedWas.With(say.Grouped(c.Found.Walked), say.Number(len(c.Found.Scope)), rests))
	add("Not searched", say.NotSearchedWas.With(say.Number(c.Found.Complete)))
	if a.guarded() && c.Fenced {
		add("Not searched either", say.WritesOnlyNot.With())
	}
	if !a.guarded() && slices.Contains(a.Must, "damage") && c.Fenced {
		add("Tokens", say.NothingChecks.With())
	}
	return out
}

// overlaps are the sets of expected kinds after which two hold the lock.
func (c *Candidate) overlaps(expected []string) (out [][]string) {
	for _, s := range c.Found.Breaks["believe"] {
		if subset(s.Kinds, expected) {
			out = append(out, s.Kinds)
		}
	}
	return out
}

// Words are a question and its answers.
func (q Question) Words() say.Phrase {
	name := func(all []Choice, id string) say.Both {
		return find(all, func(c *Choice) bool { return c.ID == id }).Name
	}
	if q.IfTwo != Damage {
		return say.IfTwoWork.With(name(Haves(), q.Have), name(IfTwo(), q.IfTwo))
	}
	return say.IfTwoDamage.With(name(Haves(), q.Have), name(IfTwo(), q.IfTwo), name(Tokens(), q.Tokens))
}

// Key names a question, as pages do.
func (q Question) Key() string {
	if q.IfTwo != Damage {
		return q.Have + "-" + q.IfTwo
	}
	return q.Have + "-" + q.IfTwo + "-" + q.Tokens
}

// HaveName is what there is.
func (q Question) HaveName() say.Both { return q.have().Name }
