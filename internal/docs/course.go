package docs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"lockstep/internal/campaign/results"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/say"
)

// The course is about mistakes in texts about locks. They are for learning, so no list of locks to
// choose from includes them.

// MisprintRows link to the misprints that a story plays.
func (w *writer) MisprintRows() (rows [][]string) {
	for _, v := range locks.All() {
		if p := w.storyAbout(v.ID); locks.Misprint(v.ID) && p != nil {
			story := strings.TrimSuffix(path.Base(p.File), ".yaml")
			rows = append(rows, []string{lockLink(v.ID), text(v.Doc(say.English).Idea), code("simulate run " + story)})
		}
	}
	return rows
}

// FalseRows link to the false claims.
func (w *writer) FalseRows() (rows [][]string) {
	for _, c := range w.Claims {
		if c.Verdict == "false" {
			number := linkInto(fmt.Sprint(c.N), "claims.md", fmt.Sprintf("claim-%d", c.N))
			rows = append(rows, []string{number, text(c.Text), code(fmt.Sprintf("simulate dev claims --claim %d", c.N))})
		}
	}
	return rows
}

// Judged counts the claims with a verdict.
func (w *writer) Judged(verdict string) int {
	return each.Count(w.Claims, func(c *results.Claim) bool { return c.Verdict == verdict })
}

// storyAbout is the story that plays a lock beside the fewest others; nil if no story plays it.
func (w *writer) storyAbout(lock string) (about *plan.Plan) {
	for _, p := range w.plansWhere(func(p *plan.Plan) bool { return slices.Contains(p.Locks, lock) }) {
		if about == nil || len(p.Locks) < len(about.Locks) {
			about = p
		}
	}
	return about
}

// lockRows has the rows of all locks, with a heading before the misprints; nil leaves a lock out.
func lockRows(row func(v locks.Variant) []string) (rows [][]string) {
	course := false
	for _, v := range locks.All() {
		cells := row(v)
		if cells == nil {
			continue
		}
		if locks.Misprint(v.ID) && !course {
			course = true
			rows = append(rows, append([]string{"**[The course: misprints](course.md)**"}, make([]string, len(cells)-1)...))
		}
		rows = append(rows, cells)
	}
	return rows
}
