package run

import (
	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
)

// Stored judges a history that was played before, with the checkers of this
// program, and compares the verdicts with what the plan expects of its lock.
func Stored(p *plan.Plan, h *history.History) Outcome {
	lock := h.Header.Lock
	j := checker.Judge(h, p.Asked()...)
	return Outcome{Lock: lock, Seed: h.Header.Seed, Judgement: j, Expected: compare(p, lock, j)}
}
