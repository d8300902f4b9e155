package docs

import (
	"fmt"
	"slices"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
)

func (w *writer) property(prop checker.Property) Page {
	return page("properties/"+prop.ID+".md", "the Property in internal/checker",
		heading(1, prop.ID),
		text(prop.Summary.English),
		"In a scenario:",
		block("yaml", "expect:\n  every lock: {"+prop.ID+": kept}"),
		"It is **kept** or **broken** in a run, or **unknown** when the run did not put it to the test.",
		section("Stories", w.judged(prop.ID)),
		section("Source", text(prop.Source)),
	)
}

// judged is a table of the scenarios that expect something of a property.
func (w *writer) judged(property string) string {
	var rows [][]string
	for _, p := range w.told(func(*plan.Plan) bool { return true }) {
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
			rows = append(rows, []string{w.story(p), fmt.Sprint(p.Level), links("locks", broken), links("locks", kept)})
		}
	}
	return table([]string{"story", "level", "broken by", "kept by"}, rows)
}
