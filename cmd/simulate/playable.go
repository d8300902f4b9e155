package main

import (
	"fmt"
	"io"
	"slices"

	"lockstep/internal/plan"
)

// notPlayed is a lock of a scenario that the backend cannot play, and why.
type notPlayed struct {
	Scenario string `json:"scenario"`
	Lock     string `json:"lock"`
	Reason   string `json:"reason"`
}

// leaveOut takes the locks out of a plan that the backend cannot play. They are
// remembered: nobody is to believe that they were tested.
func (f *runFlags) leaveOut(p *plan.Plan) {
	p.Locks = slices.DeleteFunc(slices.Clone(p.Locks), func(lock string) bool {
		err := refusal(f.backend, p, lock)
		if err != nil {
			f.notPlayed = append(f.notPlayed, notPlayed{p.Slug, lock, err.Error()})
		}
		return err != nil
	})
}

// tellNotPlayed lists what was left out, one line for each reason.
func (f *runFlags) tellNotPlayed(w io.Writer) {
	if len(f.notPlayed) == 0 {
		return
	}
	count := map[string]int{}
	var reasons []string
	for _, n := range f.notPlayed {
		if count[n.Reason] == 0 {
			reasons = append(reasons, n.Reason)
		}
		count[n.Reason]++
	}
	fmt.Fprintf(w, "\nNOT PLAYED with --backend %s, %d locks of scenarios:\n", f.backend, len(f.notPlayed))
	for _, reason := range reasons {
		fmt.Fprintf(w, "  %3d  %s\n", count[reason], terminalText(reason))
	}
}
