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

// question is a question of the section "Predict first". All questions and answers are derived from
// the history and the findings.
type question struct {
	ID, Kind string
	Text     say.Phrase
	Answers  []answer
}

// answer is one of two to four. Opening it reveals whether it is right.
type answer struct {
	Text  say.Phrase
	Right bool
	Why   say.Phrase // the evidence
	Step  int        // number of the step with the evidence, 0 for none
	Href  string     // of that step
}

// Kinds of questions.
const (
	kindNext   = "What happens next?"
	kindFailed = "Which assumption failed?"
	kindHelped = "Which design helps?"
)

const maxAnswers = 4

func answerOf(r *bundle.Run, i int, right bool, why say.Phrase) answer {
	name := say.Verbatim(sanitize.Text(r.Lock, sanitize.MaxName))
	return answer{Text: name.Phrase(), Right: right, Why: why, Href: fmt.Sprintf("#lock-%d", i+1)}
}

// predict makes the questions of a report, at most one of each kind, about the run whose story the
// page tells.
func (v *pageView) predict() []question {
	b, i := v.Bundle, v.leading
	if i >= len(b.Runs) || b.Runs[i].Judgement.History == nil {
		return nil
	}
	var out []question
	for _, q := range []question{
		whatNext(&b.Runs[i], &v.stories[i], &v.Runs[i]),
		whichAssumption(&v.stories[i], &v.Runs[i]),
		whichDesign(b, i),
	} {
		if q.shuffle() {
			q.ID = fmt.Sprintf("predict-%d", len(out)+1)
			out = append(out, q)
		}
	}
	return out
}

// shuffle limits the answers and orders them by a hash of their texts in English, so that the order
// is the same in every language and tells nothing. It reports whether there are right and wrong
// answers.
func (q *question) shuffle() bool {
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
		x, y := sanitize.Sentence(a.Text.English()), sanitize.Sentence(b.Text.English())
		return cmp.Or(cmp.Compare(rng.ID(q.Kind, x), rng.ID(q.Kind, y)), strings.Compare(x, y))
	})
	return len(right) > 0 && len(wrong) > 0
}

// whatNext asks at the step before the first violation what goes wrong.
func whatNext(r *bundle.Run, st *story, v *runView) question {
	h := r.Judgement.History
	first, property := bundle.FirstBreach(r.Judgement.Findings)
	q := question{Kind: kindNext, Text: say.WhatGoesWrong.With(say.Verbatim(v.Lock))}
	at := bundle.FirstViolation(st.Steps)
	if before := scene(h, st, at); before != nil {
		q.Text = say.WhatNext.With(say.Verbatim(v.Lock), say.Seconds(before.At), before.Sentence)
	}
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
		a := answer{Text: damage, Why: say.NoIsKept.With(say.Property(p))}
		switch {
		case p == property:
			a.Right, a.Why = true, st.note(at)
			a.Step, a.Href = v.stepOf(at, st)
		case f.Verdict == checker.Broken && len(f.Violations) > 0:
			a.Why = say.NotYet.With(say.Property(p), say.Seconds(f.Violations[0].From))
		}
		q.Answers = append(q.Answers, a)
	}
	if first == nil && unknown {
		return question{} // the answer is unknown
	}
	nothing := answer{
		Text: say.Text("Nothing: every property is kept to the end."), Why: say.NoIsBroken.With(say.Property(property)),
	}
	if first == nil {
		nothing.Right, nothing.Why = true, v.sentence
	}
	// It comes second, so that the limit does not remove it.
	q.Answers = slices.Insert(q.Answers, min(1, len(q.Answers)), nothing)
	return q
}

// scene is the step of the question: the one before the first violation, or, without violations,
// the first effect of a fault; nil for none.
func scene(h *history.History, st *story, breaks int) *explain.Step {
	switch {
	case breaks == 0:
		return nil
	case breaks > 0:
		return &st.Steps[breaks-1]
	}
	for i := range st.Steps {
		switch h.Events[st.Steps[i].Event].Kind {
		case history.FaultBegan, history.Froze, history.Crashed, history.ClockChanged, history.Promoted,
			history.RequestDropped, history.ReplyDropped:
			return &st.Steps[i]
		}
	}
	return nil
}

// pairOf names the two clients in the answers: those of the violation, else the first two.
func pairOf(h *history.History, v *checker.Violation) (wrong, other say.Both) {
	ids := h.NodesOf(history.RoleClient)
	if v != nil {
		ids = append(slices.Clone(v.Clients), ids...)
	}
	var pair []say.Both
	for _, id := range ids {
		name := sanitize.Text(h.Name(id), sanitize.MaxName)
		if len(pair) < 2 && !slices.ContainsFunc(pair, func(b say.Both) bool { return b.English == name }) {
			pair = append(pair, say.Both{English: name, Chinese: say.Name(name).In(say.Chinese)})
		}
	}
	pair = append(pair, say.Text("a client").Both(), say.Text("another client").Both())
	return pair[0], pair[1]
}

// pairFor names the clients of a property's own violation; for a kept property those of the first
// violation in reverse, since the last client is rarely the one whose writes and releases are late.
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
		return say.Text("The lock is stuck: no client can get it any more.")
	}
	return say.Phrase{}
}

// whichAssumption asks which assumption of the lock failed. The wrong answers held in this run.
func whichAssumption(st *story, v *runView) question {
	if !st.Wrong.Proved() {
		return question{}
	}
	answers := []answer{{Text: st.Wrong.Assumed, Right: true, Why: say.YesFor.With(st.Wrong.Formula)}}
	for _, p := range st.assumptions {
		if p.Held && !p.About(st.Wrong.Assumed) {
			answers = append(answers, answer{Text: say.Stop.With(p.Text), Why: say.NoThisHeld.With(p.Figure)})
		}
	}
	return question{Kind: kindFailed, Text: say.ReliedOnWhat.With(say.Verbatim(v.Lock)), Answers: answers}
}

// whichDesign asks which lock keeps the first property that distinguishes the locks.
func whichDesign(b *bundle.Bundle, lead int) question {
	if len(b.Runs) < 2 {
		return question{}
	}
	for _, p := range b.Properties() {
		if f := b.Runs[lead].Finding(p); f == nil || f.Verdict != checker.Broken {
			continue
		}
		q := whichKeeps(p)
		for i := range b.Runs {
			r := &b.Runs[i]
			f := r.Finding(p)
			if f == nil || f.Verdict == checker.Unknown {
				continue
			}
			kept, why := f.Verdict == checker.Kept, say.YesIsKept.With(say.Property(p))
			switch {
			case !kept && i == lead:
				why = say.Text("No: this is the lock that broke it.")
			case !kept:
				why = say.NoBrokenToo.With(say.Property(p), say.Verbatim(b.Runs[lead].Lock))
			}
			q.Answers = append(q.Answers, answerOf(r, i, kept, why))
		}
		if slices.ContainsFunc(q.Answers, func(a answer) bool { return a.Right }) {
			return q
		}
	}
	return noneHelps(b, lead)
}

func whichKeeps(property string) question {
	return question{Kind: kindHelped, Text: say.WhichKeeps.With(say.Property(sanitize.Text(property, sanitize.MaxName)))}
}

// noneHelps asks the same if no lock of the scenario keeps it.
func noneHelps(b *bundle.Bundle, lead int) question {
	_, property := bundle.FirstBreach(b.Runs[lead].Judgement.Findings)
	if property == "" {
		return question{}
	}
	q := whichKeeps(property)
	q.Answers = []answer{{
		Text: say.Text("None of them."), Right: true,
		Why: say.Text("Yes: each of them breaks it here. The cure is elsewhere: see what to change below."),
	}}
	for i := range b.Runs {
		if f := b.Runs[i].Finding(property); f != nil && f.Verdict == checker.Broken {
			q.Answers = append(q.Answers, answerOf(&b.Runs[i], i, false, say.NoBrokenHere.With(say.Property(property))))
		}
	}
	return q
}
