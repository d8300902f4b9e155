package bubble_test

import (
	"fmt"

	"lockstep/internal/checker"
	"lockstep/internal/history"
)

// outcome returns the letter of a run, with its verdicts.
func outcome(h *history.History) string {
	j := checker.Judge(h)
	out := string(j.Letter)
	for _, f := range j.Findings {
		out += fmt.Sprintf(" %s:%s", f.Property, f.Verdict)
	}
	return out
}
