package runpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/rng"
	"lockstep/internal/say"
)

// A question of the section "Predict first". The question and every answer are derived
// from the history and the findings: none is written by hand.
type question struct {
	ID, Kind, Text string
	Answers        []answer
}

// answer is one of two to four. Opening it reveals whether it is right.
type answer struct {
	Text  string
	key   string // the text in English: it decides about the place, in every language the same
	Right bool
	Why   string // the evidence
	Step  int    // number of the step that shows it, 0 for none
	Href  string // leads to that step
}

// Kinds of questions.
const (
	kindNext   = "What happens next?"
	kindFailed = "Which assumption failed?"
	kindHelped = "Which design helps?"
)

const maxAnswers = 4

// answer is one in the language of the page.
func (st *story) answer(p say.Phrase) answer {
	return answer{Text: st.nice(p), key: sanitize.Sentence(p.English())}
}

// answerOf is a lock as an answer; it is number i of the page.
func (st *story) answerOf(lock string, i int) answer {
	name := sanitize.Text(lock, sanitize.MaxName)
	return answer{Text: name, key: name, Href: fmt.Sprintf("#lock-%d", i+1)}
}

// predict makes the questions of a report, at most one of each kind. They are
// about the run that broke most, whose story the page tells.
func predict(b *bundle.Bundle, stories []story, v *pageView) []question {
	i := max(b.Worst(), 0)
	if i >= len(b.Runs) || b.Runs[i].Judgement.History == nil {
		return nil
	}
	var out []question
	for _, q := range []question{
		whatNext(&b.Runs[i], &stories[i], &v.Runs[i]),
		whichAssumption(&stories[i], &v.Runs[i]),
		whichDesign(b, i, &stories[i]),
	} {
		if !q.fair() {
			continue
		}
		q.ID = fmt.Sprintf("predict-%d", len(out)+1)
		out = append(out, q.shuffled())
	}
	return out
}

// fair reports whether there is something to choose: a right answer and a wrong one.
func (q *question) fair() bool {
	right := 0
	for _, a := range q.Answers {
		if a.Right {
			right++
		}
	}
	return right > 0 && right < len(q.Answers)
}

// shuffled cuts the answers to a few and orders them by a hash of their texts, so
// that the right one has no place of its own and the bytes stay the same. At least
// one wrong answer stays.
func (q question) shuffled() question {
	var right, wrong []answer
	for _, a := range q.Answers {
		if a.Right {
			right = append(right, a)
		} else {
			wrong = append(wrong, a)
		}
	}
	right = right[:min(len(right), maxAnswers-1)]
	q.Answers = append(right, wrong[:min(len(wrong), maxAnswers-len(right))]...)
	slices.SortStableFunc(q.Answers, func(a, b answer) int {
		return cmp.Or(cmp.Compare(rng.ID(q.Kind, a.key), rng.ID(q.Kind, b.key)), strings.Compare(a.key, b.key))
	})
	return q
}

// whatNext asks what goes wrong, at the step before something does.
func whatNext(r *bundle.Run, st *story, v *runView) question {
	h := r.Judgement.History
	first, property := bundle.FirstBreach(r.Judgement.Findings)
	q, text := question{Kind: kindNext}, say.WhatGoesWrong.With(say.Verbatim(v.Lock))
	at := bundle.FirstViolation(st.steps)
	if before := scene(h, st, at); before != nil {
		text = say.WhatNext.With(say.Verbatim(v.Lock), say.Seconds(before.At), before.Sentence)
	}
	q.Text = st.nice(text)
	unknown := false
	for _, p := range v.properties {
		f := r.Finding(p)
		wrong, other := pairFor(h, f, first)
		damage := damageText(p, wrong, other)
		if f == nil || damage.Empty() {
			continue
		}
		if f.Verdict == checker.Unknown {
			unknown = true
			continue
		}
		a, why := st.answer(damage), say.NoIsKept.With(say.Property(p))
		switch {
		case p == property:
			a.Right, why = true, st.note(at)
			a.Step, a.Href = v.stepOf(at, st)
		case f.Verdict == checker.Broken && len(f.Violations) > 0:
			why = say.NotYet.With(say.Property(p), say.Seconds(f.Violations[0].From))
		}
		a.Why = st.nice(why)
		q.Answers = append(q.Answers, a)
	}
	if first == nil && unknown {
		return question{} // the answer is unknown
	}
	nothing := st.answer(say.NothingBreaks.With())
	nothing.Right = first == nil
	if nothing.Right {
		nothing.Why = st.nice(v.sentence)
	} else {
		nothing.Why = st.nice(say.NoIsBroken.With(say.Property(property)))
	}
	// Right behind the right one, so that it is not among those that are cut.
	q.Answers = slices.Insert(q.Answers, min(1, len(q.Answers)), nothing)
	return q
}

// scene is the step at which the question is asked: right before something breaks,
// or where nothing does, the first thing that a fault did. It is nil without one.
func scene(h *history.History, st *story, breaks int) *explain.Step {
	if breaks >= 0 {
		if breaks == 0 {
			return nil
		}
		return &st.steps[breaks-1]
	}
	for i := range st.steps {
		switch h.Events[st.steps[i].Event].Kind {
		case history.FaultBegan, history.Froze, history.Crashed, history.ClockChanged, history.Promoted,
			history.RequestDropped, history.ReplyDropped:
			return &st.steps[i]
		}
	}
	return nil
}

// pairOf names the two clients that answers speak of: those of the violation, or
// else the first two.
func pairOf(h *history.History, v *checker.Violation) (wrong, other say.Both) {
	var names []string
	if v != nil {
		for _, id := range v.Clients {
			names = append(names, sanitize.Text(h.Name(id), sanitize.MaxName))
		}
	}
	for _, n := range h.Header.Nodes {
		if name := sanitize.Text(n.Name, sanitize.MaxName); n.Role == history.RoleClient && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	pair := []say.Both{}
	for _, name := range names {
		pair = append(pair, say.Both{English: name, Chinese: say.Name(name).In(say.Chinese)})
	}
	pair = append(pair, say.Text("a client").Both(), say.Text("another client").Both())
	return pair[0], pair[1]
}

// pairFor names the clients of a property's own violation; for one that is kept,
// those of the first violation the other way round: the client that comes last
// is rarely the one whose writes and releases come too late.
func pairFor(h *history.History, f *checker.Finding, first *checker.Violation) (wrong, other say.Both) {
	if f != nil && len(f.Violations) > 0 {
		return pairOf(h, &f.Violations[0])
	}
	wrong, other = pairOf(h, first)
	if first != nil {
		wrong, other = other, wrong
	}
	return wrong, other
}

// damageText says what the violation of a property looks like.
func damageText(property string, wrong, other say.Both) say.Phrase {
	switch property {
	case checker.MutualExclusionID:
		return say.InsideTogether.With(wrong, other)
	case checker.OwnerOnlyReleaseID:
		return say.TakesAway.With(wrong, other)
	case checker.NoStaleWriteID:
		return say.WritesTooLate.With(wrong, other)
	case checker.NoLostUpdateID:
		return say.Overwrites.With(wrong, other)
	case checker.ProgressID:
		return say.NobodyGetsIn.With()
	}
	return say.Phrase{}
}

// whichAssumption asks what the lock had relied on. The wrong answers are
// assumptions that held in this run.
func whichAssumption(st *story, v *runView) question {
	q := question{Kind: kindFailed, Text: st.nice(say.ReliedOnWhat.With(say.Verbatim(v.Lock)))}
	if !st.wrong.Proved() {
		return question{}
	}
	right := st.answer(st.wrong.Assumed)
	right.Right, right.Why = true, st.nice(say.YesFor.With(st.wrong.Formula))
	q.Answers = append(q.Answers, right)
	for _, p := range st.assumptions {
		if p.Held && !p.About(st.wrong.Assumed) {
			a := st.answer(say.Stop.With(p.Text))
			a.Why = st.nice(say.NoThisHeld.With(p.Figure))
			q.Answers = append(q.Answers, a)
		}
	}
	return q
}

// whichDesign asks which lock survives the same faults: of the properties the
// first one on which the locks differ.
func whichDesign(b *bundle.Bundle, told int, st *story) question {
	if len(b.Runs) < 2 {
		return question{}
	}
	for _, p := range b.Properties() {
		if f := b.Runs[told].Finding(p); f == nil || f.Verdict != checker.Broken {
			continue
		}
		q := question{Kind: kindHelped, Text: st.nice(say.WhichKeeps.With(say.Property(sanitize.Text(p, sanitize.MaxName))))}
		some := false
		for i := range b.Runs {
			r := &b.Runs[i]
			f := r.Finding(p)
			if f == nil || f.Verdict == checker.Unknown {
				continue
			}
			a := st.answerOf(r.Lock, i)
			a.Right = f.Verdict == checker.Kept
			why := say.YesIsKept.With(say.Property(p))
			switch {
			case !a.Right && i == told:
				why = say.NoThisBroke.With()
			case !a.Right:
				why = say.NoBrokenToo.With(say.Property(p), say.Verbatim(b.Runs[told].Lock))
			}
			a.Why = st.nice(why)
			some = some || a.Right
			q.Answers = append(q.Answers, a)
		}
		if some {
			return q
		}
	}
	return noneHelps(b, told, st)
}

// noneHelps asks the same where no lock of the scenario survives.
func noneHelps(b *bundle.Bundle, told int, st *story) question {
	_, property := bundle.FirstBreach(b.Runs[told].Judgement.Findings)
	if property == "" {
		return question{}
	}
	q := question{Kind: kindHelped, Text: st.nice(say.WhichKeeps.With(say.Property(sanitize.Text(property, sanitize.MaxName))))}
	none := st.answer(say.NoneOfThem.With())
	none.Right, none.Why = true, st.nice(say.YesAllBreak.With())
	q.Answers = []answer{none}
	for i := range b.Runs {
		if f := b.Runs[i].Finding(property); f != nil && f.Verdict == checker.Broken {
			a := st.answerOf(b.Runs[i].Lock, i)
			a.Why = st.nice(say.NoBrokenHere.With(say.Property(property)))
			q.Answers = append(q.Answers, a)
		}
	}
	return q
}
