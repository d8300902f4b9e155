package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/campaign/results"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
)

// Every lock that the walk breaks has a counterexample, and something breaks in it.
func TestCounterexamplesStillBreak(t *testing.T) {
	x, err := storedWalk()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := counterexamples(x)
	if err != nil {
		t.Fatal(err)
	}
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
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "lessons", "pause-past-lease.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New()
	defer w.Close()
	play := func(text string) error {
		p, err := scenario.Parse("a.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = playExample(w, p, "set-nx-lua", &results.CutSet{})
		return err
	}
	text := string(data)
	if err := play(text); err != nil {
		t.Fatal(err)
	}
	harmless := text[:strings.Index(text, "faults:")] + text[strings.Index(text, "expect:"):]
	if err := play(harmless); err == nil || !strings.Contains(err.Error(), "does not break") {
		t.Errorf("a story without its fault is taken for a counterexample: %v", err)
	}
}
