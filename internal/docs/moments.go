package docs

import (
	"slices"
	"strings"

	"lockstep/internal/faults"
	"lockstep/internal/plan"
)

// momentFile is the name of a moment's page.
func momentFile(m faults.MomentPhrase) string {
	phrase := strings.ReplaceAll(m.Text, "%s", "command")
	return "moments/" + strings.ReplaceAll(phrase, " ", "-") + ".md"
}

// momentWords is how people say a moment.
func momentWords(m faults.MomentPhrase) string {
	return strings.ReplaceAll(m.Text, "%s", "COMMAND")
}

func (w *writer) moment(m faults.MomentPhrase) Page {
	example := "A " + strings.ReplaceAll(m.Text, "%s", "SET")
	wire := ""
	if m.Kind.OnWire() {
		wire = faults.CommandDoc
	}
	return page(momentFile(m), "internal/faults/moment.go",
		heading(1, "... "+momentWords(m)),
		text(m.Doc.English)+" "+wire,
		block("yaml", "faults:\n  - when: "+example+"\n    pause: A\n    for: 15s"),
		"In front of it stands a client, "+code(faults.AnyClient)+", "+code(faults.TheHolder)+" or "+code(faults.NextHolder)+
			"; behind it, if you like, "+code("in its 2nd round")+", "+code("after fault 1")+", and "+code("the 3rd time")+" or "+code("every time")+". Moments are taken at the ports and in the workload, "+
			"so they mean the same for every lock.",
		section("Stories", w.stories(func(p *plan.Plan) bool { return waitsFor(p, m.Kind) })),
	)
}

// waitsFor reports whether a fault of the scenario begins or ends at a moment.
func waitsFor(p *plan.Plan, kind faults.MomentKind) bool {
	return slices.ContainsFunc(p.Faults, func(f faults.Fault) bool {
		return f.Trigger.Moment == kind || f.End.Until != nil && f.End.Until.Moment == kind
	})
}
