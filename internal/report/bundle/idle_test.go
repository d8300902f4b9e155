package bundle_test

import (
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

// A run with an idle line of random faults is not as expected, even if each of its verdicts is.
func TestAnIdleLineIsNotAsExpected(t *testing.T) {
	p := scenariotest.Parse(t, "idle.yaml", `scenario: A moment that cannot come
locks: [set-nx-lua]
clients: [A, B]
workload: {repeat: 5 times, work: 1s}
faults:
  - {when: any client is about to send DECRBY every time, chance: 50%, drop: reply}
  - {every: 1s..2s, pause: the holder, for: 100ms..200ms}
expect: {every lock: {mutual-exclusion: kept}}
`)
	b := bundle.Of(reporttest.Play(t, p, 1), "", "")
	if e := b.Runs[0].Expected; len(e) != 1 || !e[0].Met() {
		t.Errorf("the expectations: %+v", e)
	}
	if b.Met() {
		t.Error("it is as expected, although the first line did nothing")
	}
}
