package real

import (
	"fmt"
	"testing"

	"lockstep/internal/faults"
	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
)

// A worker reports the moments that begin a fault, and those that end one.
func TestWorkersReportWhatEndsAFault(t *testing.T) {
	p := scenariotest.Story(t, "set-nx-lua", "when: A enters, pause: A, until: B has the reply of SET",
		"when: A has the reply of GET, pause: B, until: B writes")
	h := &harness{plan: p, engine: faults.NewEngine(p.Faults, nil, nil)}
	for client, want := range map[string]string{ // order: each on its own
		"A": "[enters writes] [{has reply GET}]", "B": "[enters writes] [{has reply SET}]",
	} {
		moments, wire := h.wanted(client)
		got := ""
		for _, w := range wire {
			got += fmt.Sprintf("{has reply %s}", w.Command)
			if w.Kind != faults.HasReply {
				t.Errorf("%s: %+v", client, w)
			}
		}
		names := ""
		for _, m := range moments {
			if m == faults.Enters || m == faults.Writes {
				names += " " + map[bool]string{true: "enters", false: "writes"}[m == faults.Enters]
			}
		}
		must.Equalf(t, fmt.Sprintf("[%s] [%s]", names[1:], got), want, "%s", client)
	}
}
