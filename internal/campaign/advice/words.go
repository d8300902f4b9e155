package advice

import (
	"slices"

	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/say"
)

// Line is one line below the sentence of an answer.
type Line struct {
	Head say.Phrase
	Text say.Phrase
	Lock string // to read more about; "" for none
}

// named is a lock by its name and id.
func named(lock string) say.Phrase { return say.WithAside.With(locks.Name(lock), say.Verbatim(lock)) }

// Sentence is the advice with its reason and its price, or what the program lacks.
func (a *Answer) Sentence() say.Phrase {
	h, r, c := a.have(), a.rule(), a.Best
	switch {
	case a.Nearest != "":
		return h.missing.Phrase()
	case c == nil:
		return say.NoneHere.With(h.at)
	case c.Verdict == results.Broken:
		return say.NoLockKeeps.With(h.at, r.goal, named(c.Lock), c.when(), c.price())
	case !c.survives():
		return c.mayDo()
	}
	var how say.Phrase
	if a.guarded() && c.Fenced {
		how = say.Text("have the resource refuse, on reads and writes, any token older than the newest it has seen")
	}
	return say.UseLock.With(named(c.Lock), how, h.at, r.harms, c.price())
}

func (c *Candidate) mayDo() say.Phrase {
	return say.MayDo.With(named(c.Lock), say.NotAllSearched.With(say.Text(c.Verdict)), c.price())
}

// guarded reports whether the resource is to check tokens.
func (q Question) guarded() bool { return q.rule().tokens == Yes }

// when says what breaks the lock, as found by the search, else by the matrix.
func (c *Candidate) when() say.Phrase {
	if len(c.Breaks) > 0 {
		return when(c.Breaks)
	}
	return when(each.Map(c.Scripts, func(s Script) []string { return s.Kinds }))
}

// when names two of some minimal sets of kinds, those of one kind first.
func when(sets [][]string) say.Phrase {
	alone := faultkind.Happening(Singles(sets))
	if len(alone) == 0 {
		return say.WhenPairs.With(say.Number(len(sets)))
	}
	shown := min(len(alone), 2)
	two := append(slices.Clone(alone[:shown]), say.Words(""))
	return say.WhenThese.With(two[0], two[1], say.Optional(len(alone)-shown+len(sets)-len(Singles(sets))))
}

// price is empty where nothing was measured.
func (c *Candidate) price() say.Phrase {
	if c.Cost.Servers == 0 {
		return say.Phrase{}
	}
	return say.PriceIs.With(append(say.Remarks(c.Cost.Says()), say.MeasuredOn.With(say.Number(c.Cost.Servers))))
}

// Lines returns the evidence of the answer, and its limits.
func (a *Answer) Lines() (out []Line) {
	add := func(head string, text say.Phrase) { out = append(out, Line{Head: say.Text(head), Text: text}) }
	c := a.Best
	if c == nil {
		return nil
	}
	if len(a.Instead) > 0 {
		add("What would help", a.instead())
	}
	if overlaps := kindsOf(c.Found.Within(a.Expected, checker.Overlap)); a.guarded() && c.survives() && c.Fenced && overlaps != nil {
		add("Two can still hold it at once", say.RefusedLater.With(when(overlaps)))
	}
	if c.Fenced && a.IfTwo == Damage {
		add("If the resource checks nothing", c.unchecked())
	}
	if !a.guarded() && a.IfTwo == Damage {
		add("If it is an outside API", say.Text("A payment provider, for example, does not compare tokens. Give each call an idempotency key derived from the order, not from the client or the attempt: a second call then does nothing. If every call has one, two holders only duplicate work."))
	}
	if len(c.Stuck) > 0 {
		add("It can get stuck", say.GetsStuck.With(when(c.Stuck)))
	}
	if len(c.Scripts) > 0 {
		add("The matrix found more", c.scripts())
	}
	if len(c.Beyond) > 0 {
		out = append(out, Line{Head: say.NotExpected.With(a.have().at), Text: say.Stop.With(faultkind.List(c.Beyond))})
	}
	if d := a.Second; d != nil {
		out = append(out, Line{say.Text("Runner-up"), d.runnerUp(), d.Lock})
	}
	add("Expected", say.Stop.With(faultkind.List(a.Expected)))
	add("Searched", c.searched())
	add("Not searched", say.NotSearchedWas.With(say.Number(c.Found.Complete)))
	if a.guarded() && c.Fenced {
		add("Not searched either", say.Text("a resource that checks only writes: an older client may write between a read and a write."))
	}
	return out
}

// instead says what would survive.
func (a *Answer) instead() say.Phrase {
	all := say.Remarks(each.Map(a.Instead, func(e Elsewhere) say.Phrase { return say.LockOn.With(named(e.Lock), e.have().at) }))
	if a.Instead[0].guarded() && !a.guarded() {
		return say.TokensInstead.With(all)
	}
	return say.SurvivesInstead.With(all)
}

func (c *Candidate) runnerUp() say.Phrase {
	switch {
	case c.survives():
		return say.AlsoSurvives.With(named(c.Lock), c.price())
	case c.Verdict == results.Broken:
		return say.FailsBy.With(named(c.Lock), c.when(), c.price())
	}
	return c.mayDo()
}

// unchecked says what happens to the data when nothing checks tokens.
func (c *Candidate) unchecked() say.Phrase {
	switch {
	case c.Played == 0:
		return say.UncheckedUnknown.With()
	case len(c.Unchecked) == 0:
		return say.UncheckedHolds.With(say.Number(c.Played))
	}
	return say.UncheckedBreaks.With(say.Number(len(c.Unchecked)), say.Number(c.Played), when(c.Unchecked))
}

// scripts lists the scripts of the matrix that found more than the search.
func (c *Candidate) scripts() say.Phrase {
	var all say.Remarks
	for i, s := range c.Scripts {
		if slices.ContainsFunc(c.Scripts[:i], func(o Script) bool { return o.Code == s.Code }) {
			continue // it breaks the lock in two ways
		}
		all = append(all, say.FaultOfMatrix.With(s.Fault, say.Verbatim(s.Code), s.By))
	}
	return say.MatrixAdds.With(all)
}

// searched says how much was searched.
func (c *Candidate) searched() say.Phrase {
	ways := map[string]int{}
	for _, x := range c.Found.Together {
		ways[x.How]++
	}
	return say.SearchedWas.With(say.Grouped(c.Found.Walked), say.Number(len(c.Found.Scope)), say.Number(ways[results.Complete]),
		say.Optional(ways[results.Sampled]), say.Optional(ways[results.NotSearched]))
}

// Words is a question with its answers.
func (q Question) Words() say.Phrase {
	return say.QuestionWas.With(q.HaveName(), q.rule().said.Phrase())
}

// Key is the name of a question in pages.
func (q Question) Key() string {
	if q.IfTwo != Damage {
		return q.Have + "-" + q.IfTwo
	}
	return q.Have + "-" + q.IfTwo + "-" + q.Tokens
}

// HaveName names what the user has.
func (q Question) HaveName() say.Words { return q.have().Name }
