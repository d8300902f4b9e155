package docs

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
)

const propertiesPage = "properties.md"

// properties has a section for each property.
func (w *writer) properties() Page {
	body := []string{
		heading(1, "Properties"),
		"Each is **kept** or **broken** in a run, or **unknown** when the run did not put it to the test. In a scenario:",
		block("yaml", "expect:\n  every lock: {mutual-exclusion: kept}"),
	}
	for _, prop := range checker.All() {
		body = append(body, heading(2, prop.ID), text(prop.Summary.English())+" Source: "+text(prop.Source), w.judged(prop.ID))
	}
	return page(propertiesPage, "each Property in internal/checker", body...)
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
			rows = append(rows, []string{w.story(p), fmt.Sprint(p.Level), text(strings.Join(broken, ", ")), text(strings.Join(kept, ", "))})
		}
	}
	return table([]string{"story", "level", "broken by", "kept by"}, rows)
}
