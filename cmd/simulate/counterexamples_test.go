package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/must"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// Every lock that the walk breaks has a counterexample, and something breaks in it.
func TestCounterexamplesStillBreak(t *testing.T) {
	x := must.Get(storedWalk())(t)
	examples := must.Get(counterexamples(x))(t)
	if len(examples) < 50 {
		t.Errorf("only %d counterexamples", len(examples))
	}
	for lock, e := range examples {
		broken := 0
		for _, s := range e.Steps {
			if !s.Note.Empty() {
				broken++
			}
		}
		if broken == 0 {
			t.Errorf("%s: nothing breaks in its counterexample", lock)
		}
	}
}

func TestACounterexampleThatHoldsIsAnError(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("..", "..", "scenarios", "lessons", "pause-past-lease.yaml")))(t)
	w := sim.New()
	defer w.Close()
	play := func(text string) error {
		p := scenariotest.Parse(t, "a.yaml", text)
		_, err := playExample(w, p, "set-nx-lua", &results.CutSet{})
		return err
	}
	text := string(data)
	must.Do(t, play(text))
	harmless := text[:strings.Index(text, "faults:")] + text[strings.Index(text, "expect:"):]
	if err := play(harmless); err == nil || !strings.Contains(err.Error(), "does not break") {
		t.Errorf("a story without its fault is taken for a counterexample: %v", err)
	}
}
