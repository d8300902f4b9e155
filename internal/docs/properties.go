package docs

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/plan"
)

// Properties are all properties.
func (w *writer) Properties() []checker.Property { return checker.All() }

// PropertyRows link to the properties.
func (w *writer) PropertyRows() [][]string {
	return each.Map(checker.All(), func(p checker.Property) []string {
		return []string{linkInto(text(p.ID), "properties.md", p.ID), text(p.Summary.English())}
	})
}

// Judging are the scenarios that expect something of a property.
func (w *writer) Judging(property string) (rows [][]string) {
	for _, p := range w.plansWhere(func(*plan.Plan) bool { return true }) {
		var broken, kept []string
		for _, lock := range p.Locks {
			nowBroken, nowKept := expected(p, lock)
			if slices.Contains(nowBroken, property) {
				broken = append(broken, lock)
			}
			if slices.Contains(nowKept, property) {
				kept = append(kept, lock)
			}
		}
		if len(broken)+len(kept) > 0 {
			rows = append(rows, []string{w.story(p), fmt.Sprint(p.Level), text(strings.Join(broken, ", ")), text(strings.Join(kept, ", "))})
		}
	}
	return rows
}
