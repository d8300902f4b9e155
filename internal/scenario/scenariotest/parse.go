// Package scenariotest reads scenarios for tests.
package scenariotest

import (
	"strings"
	"testing"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// Parse is the plan of a scenario file, which must be valid.
func Parse(t testing.TB, file, text string, changes ...scenario.Change) *plan.Plan {
	t.Helper()
	p, err := scenario.Parse(file, []byte(text), changes...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Story is a small plan for a lock: two clients that work for a second. Each further text changes a
// setting, as in workload.work=5s, or is a fault, as in "when: A enters, pause: A, for: 2s".
func Story(t testing.TB, lock string, more ...string) *plan.Plan {
	t.Helper()
	var faults []string
	var changes []scenario.Change
	for _, text := range more {
		if c, err := scenario.ParseChange(text); err == nil {
			changes = append(changes, c)
		} else {
			faults = append(faults, "{"+text+"}")
		}
	}
	changes = append(changes, scenario.Change{Key: "faults", Value: "[" + strings.Join(faults, ", ") + "]"})
	return Parse(t, "", "scenario: story\nlocks: ["+lock+"]\nclients: [A, B]\nworkload: {work: 1s, wait: up to 30s}", changes...)
}
