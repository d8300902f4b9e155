package runpage

import (
	"fmt"
	"html/template"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/explain"
	"lockstep/internal/history"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/diagram"
	"lockstep/internal/report/page"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/strip"
	"lockstep/internal/say"
)

// stepPrefix is the prefix of the ids of a lock's steps. The steps of the first lock are #s1, #s2
// and so on, short enough to say aloud.
func stepPrefix(i int) string {
	if i == 0 {
		return "s"
	}
	return fmt.Sprintf("l%d-s", i+1)
}

func newRunView(r *bundle.Run, i int, props []string, st *story, d richness) runView {
	j := &r.Judgement
	v := runView{
		Impact: j.Impact(), ID: fmt.Sprintf("lock-%d", i+1), Number: i, Prefix: stepPrefix(i), Lock: sanitize.Text(r.Lock, sanitize.MaxName), Sum: sumOf(r, st.language),
		sentence: explain.Verdict(r.Timeline(), j), Missed: sanitize.Text(r.Missed().In(st.language), sanitize.MaxLine), properties: props,
	}
	v.Verdict = st.sentence(v.sentence)
	v.Outcome = say.Text(r.Outcome()).In(st.language)
	v.Cells = each.Map(props, func(p string) page.Cell { return page.NewCell(r, p, st.language) })
	for _, f := range j.Findings {
		if f.Verdict == checker.Unknown && !f.Reason.Empty() {
			v.Reasons = append(v.Reasons, sanitize.Text(say.UnknownBecause.With(say.Property(f.Property), f.Reason).In(st.language), sanitize.MaxLine))
		}
	}
	if h := j.History; h != nil {
		v.narrate(h, st, d)
		v.Formula = st.sentence(st.Wrong.Formula)
		v.Assumed = st.sentence(say.AssumptionWas.With(st.Wrong.Assumed))
		if d.strips {
			v.Plot = template.HTML(st.holders) // our own SVG, with all texts escaped
			v.PlotCaption = sanitize.Text(plotCaption(r.Timeline(), j).In(st.language), sanitize.MaxLine)
			v.overview(r, st)
		}
		for _, at := range st.causes {
			s := &st.Steps[at]
			_, href := v.stepOf(at, st)
			v.Causes = append(v.Causes, causeView{href, st.at(s.At), st.sentence(s.Sentence)})
		}
	}
	return v
}

// mostFolded limits the named clients without a column.
const mostFolded = 6

func sumOf(r *bundle.Run, l say.Language) page.Cell {
	impact := r.Judgement.Impact()
	switch notKept := func(f checker.Finding) bool { return f.Verdict != checker.Kept }; {
	case bundle.AnyBroken(r):
		return page.CellOf(checker.Broken, impact, impact.Word().In(l))
	case len(r.Judgement.Findings) == 0:
		return page.CellOf(checker.Unknown, impact, say.Text("not judged").In(l))
	case slices.ContainsFunc(r.Judgement.Findings, notKept):
		return page.CellOf(checker.Unknown, impact, say.Verdict(checker.Unknown).In(l))
	}
	return page.CellOf(checker.Kept, impact, say.Verdict(checker.Kept).In(l))
}

func (v *runView) narrate(h *history.History, st *story, d richness) {
	steps, before, after := explain.Story(st.Steps, d.steps)
	v.all, v.shown, v.numbers = st.Steps, steps, map[int32]int{}
	if earlier, later := before+st.Before, after+st.After; earlier+later > 0 {
		v.Notice = say.ShowingSteps.With(say.Number(len(steps)), say.Number(len(steps)+earlier+later),
			say.Number(earlier), say.Number(later)).In(st.language)
	}
	for n, s := range steps {
		v.numbers[s.Event] = n + 1
		v.Steps = append(v.Steps, stepView{s, fmt.Sprintf("%s%d", v.Prefix, n+1), n + 1})
	}
	l := diagram.NewLayout(h, steps, before == 0, after == 0)
	if l == nil {
		return
	}
	v.Diagram = template.HTML(diagram.Draw(l, st.Bars, v.Prefix, st.language)) // our own SVG, with all texts escaped
	if n := len(l.Folded); n > 0 {
		names := each.Map(l.Folded[:min(n, mostFolded)], func(id history.NodeID) say.Part {
			return say.Verbatim(sanitize.Text(h.Name(id), sanitize.MaxHeadName))
		})
		if n > mostFolded {
			names = append(names, say.Verbatim("..."))
		}
		v.Folded = sanitize.Text(say.FoldedClients.With(say.Number(n), names).In(st.language), sanitize.MaxLine)
	}
	v.Caption = sanitize.Text(diagramCaption(steps).In(st.language), sanitize.MaxLine)
}

func (v *runView) overview(r *bundle.Run, st *story) {
	h := r.Judgement.History
	if len(h.Events) == 0 {
		return
	}
	s := strip.Of(&r.Judgement, st.Bars, strip.Options{Language: st.language, Wrong: st.Wrong, Cursor: true})
	if n := len(v.shown); n > 0 && v.Notice != "" {
		s.Notes = append(s.Notes, strip.Band{
			From: int64(v.shown[0].At), To: int64(v.shown[n-1].At), Label: say.Text("told below").In(st.language),
		})
	}
	v.Strip = template.HTML(strip.HTML([]*strip.Strip{s}, strip.ScaleOf(&r.Judgement), st.language))
}

// stepNumber returns the number of step i of the story on the page, or 0 if it is left out. Indices count
// from 0, numbers from 1.
func (v *runView) stepNumber(i int) int {
	if i < 0 || i >= len(v.all) {
		return 0
	}
	return v.numbers[v.all[i].Event]
}

// stepOf is the number of a shown step, with a link.
func (v *runView) stepOf(i int, st *story) (number int, href string) {
	if number = v.stepNumber(i); i < 0 || i >= len(st.Steps) || number == 0 {
		return 0, ""
	}
	return number, fmt.Sprintf("#%s%d", v.Prefix, number)
}

// note describes the violation at step i of the story.
func (st *story) note(i int) say.Phrase {
	if i < 0 || i >= len(st.Steps) {
		return say.Yes.With()
	}
	s := &st.Steps[i]
	return say.YesAt.With(say.Seconds(s.At), s.Sentence, s.Note)
}
