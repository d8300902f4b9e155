// Package scenariotest reads scenarios for tests.
package scenariotest

import (
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/plan"
	"lockstep/internal/scenario"
)

// Parse is the plan of a scenario file, which must be valid.
func Parse(t testing.TB, file, text string, changes ...scenario.Change) *plan.Plan {
	t.Helper()
	return must.Get(scenario.Parse(file, []byte(text), changes...))(t)
}

// Load is the plan of a scenario file of the repository, which must be valid.
func Load(t testing.TB, file string) *plan.Plan {
	t.Helper()
	return must.Get(scenario.Load(file))(t)
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
