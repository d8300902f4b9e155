package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/docs"
	"lockstep/internal/locks"
	"lockstep/internal/sim"
)

// Every lock that breaks in some story has a counterexample, and it still is one.
func TestCounterexamplesStillBreak(t *testing.T) {
	root := filepath.Join("..", "..")
	examples, err := storedExamples(root)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := repositoryPlans(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range locks.Simulated() {
		e, ok := examples[v.ID]
		if story := docs.Smallest(plans, v.ID); (story != nil) != ok {
			t.Errorf("%s breaks in a story: %v, has a counterexample: %v; run simulate docs --shrink", v.ID, story != nil, ok)
		}
		broken := 0
		for _, s := range e.Steps {
			if !s.Note.Empty() {
				broken++
			}
		}
		if ok && broken == 0 {
			t.Errorf("%s: nothing breaks in its counterexample", v.ID)
		}
	}
}

func TestACounterexampleThatHoldsIsAnError(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", docsDir, counterexamples, "set-nx-lua.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New()
	defer w.Close()
	text := string(data)
	if _, err := playExample(w, "a.yaml", text, "set-nx-lua"); err != nil {
		t.Fatal(err)
	}
	harmless := text[:strings.Index(text, "faults:")] + text[strings.Index(text, "expect:"):]
	_, err = playExample(w, "a.yaml", harmless, "set-nx-lua")
	if err == nil || !strings.Contains(err.Error(), "does not break") {
		t.Errorf("a story without its fault is taken for a counterexample: %v", err)
	}
}
