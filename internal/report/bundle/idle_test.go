package bundle_test

import (
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// A run in which a line of random faults did nothing has met nothing, though each of its verdicts is as expected.
func TestAnIdleLineMeetsNothing(t *testing.T) {
	p, err := scenario.Parse("idle.yaml", []byte(`scenario: A moment that cannot come
locks: [set-nx-lua]
clients: [A, B]
workload: {repeat: 5 times, work: 1s}
faults:
  - {when: any client is about to send DECRBY every time, chance: 50%, drop: reply}
  - {every: 1s..2s, pause: the holder, for: 100ms..200ms}
expect: {every lock: {mutual-exclusion: kept}}
`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := run.All(t.Context(), func() run.World { return sim.New() }, p, 1, sim.Backend)
	if err != nil {
		t.Fatal(err)
	}
	b := bundle.Of(result, "", "")
	if e := b.Runs[0].Expected; len(e) != 1 || !e[0].Met() {
		t.Errorf("expected of it: %+v", e)
	}
	if b.Met() {
		t.Error("it is as expected, though nothing came of the first line")
	}
}
