// Package scenariotest reads scenarios for tests.
package scenariotest

import (
	"testing"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// Parse is the plan of a scenario file, which must be valid.
func Parse(t testing.TB, file, text string) *plan.Plan {
	t.Helper()
	p, err := scenario.Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
