package docs

import (
	"cmp"
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
)

// story is a link to a scenario from a page in the folder of the docs, with its title.
func (w *writer) story(p *plan.Plan) string { return link(text(p.Name), w.Up+"/"+p.File) }

// plansWhere are the scenarios that meet a condition, easy ones first.
func (w *writer) plansWhere(is func(*plan.Plan) bool) []*plan.Plan {
	out := slices.DeleteFunc(slices.Clone(w.Plans), func(p *plan.Plan) bool { return !is(p) })
	slices.SortStableFunc(out, func(a, b *plan.Plan) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.File, b.File))
	})
	return out
}

// stories is a table of scenarios, with their questions.
func (w *writer) stories(is func(*plan.Plan) bool) string {
	var rows [][]string
	for _, p := range w.plansWhere(is) {
		title := w.story(p)
		if p.Subtitle != "" {
			title += ": " + text(p.Subtitle)
		}
		rows = append(rows, []string{title, fmt.Sprint(p.Level), text(p.Question)})
	}
	return table("story | level | its question", rows)
}

// expected returns the properties that a scenario expects a lock to break and to keep.
func expected(p *plan.Plan, lock string) (broken, kept []string) {
	if !slices.Contains(p.Locks, lock) {
		return nil, nil
	}
	said, _ := p.ExpectationsFor(lock)
	for _, e := range said {
		if e.Verdict == string(checker.Broken) {
			broken = append(broken, e.Property)
		} else {
			kept = append(kept, e.Property)
		}
	}
	return broken, kept
}

// Smallest is the smallest story in which a lock breaks, preferably about mutual exclusion; nil if
// no story breaks the lock.
func Smallest(plans []*plan.Plan, lock string) *plan.Plan {
	w := &writer{Input{Plans: plans}}
	var best *plan.Plan
	size := func(p *plan.Plan) []int {
		broken, _ := expected(p, lock)
		other := 1
		if slices.Contains(broken, checker.MutualExclusionID) {
			other = 0
		}
		return []int{other, len(p.Faults) + len(p.Clocks) + p.Workload.Nested, len(p.Clients) * p.Workload.Repeat, p.Level}
	}
	for _, p := range w.plansWhere(func(p *plan.Plan) bool { broken, _ := expected(p, lock); return len(broken) > 0 }) {
		if best == nil || slices.Compare(size(p), size(best)) < 0 {
			best = p
		}
	}
	return best
}
