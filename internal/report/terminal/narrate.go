package terminal

import (
	"lockstep/internal/checker"
	"lockstep/internal/explain"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/sanitize"
)

// Narrate tells all steps of a judged history. The plan has the title in each language; if it is
// nil, the history's own title is used.
func Narrate(j checker.Judgement, p *plan.Plan, o Options) string {
	h := j.History
	b := &bundle.Bundle{
		Runs: []bundle.Run{{Lock: h.Header.Lock, Judgement: j}}, Backend: h.Header.Backend, Seed: h.Header.Seed, Plan: p,
	}
	t := newTerminal(b, o)
	t.head()
	t.below(0, "", t.Text(explain.Verdict(b.Runs[0].Timeline(), &j)), "")
	t.Line("")
	t.part(explain.Narrate(b.Runs[0].Timeline(), j.Findings))
	return sanitize.Log(t.String())
}
