package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
)

// Each question of practice has at most twenty lines, is linked from its page, and has conclusive
// runs.
func TestQuestionsOfPracticeAreAnswered(t *testing.T) {
	page, err := os.ReadFile("../../docs/questions.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../scenarios/questions/*.yaml")
	if err != nil || len(files) != 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		english, _, _ := strings.Cut(string(data), "\nzh:")
		_, english, _ = strings.Cut(english, "\n") // the line for editors
		if lines := strings.Count(strings.TrimSpace(english), "\n") + 1; lines > 20 {
			t.Errorf("%s has %d lines", file, lines)
		}
		if name := "scenarios/questions/" + filepath.Base(file); !strings.Contains(string(page), name) {
			t.Errorf("the page does not link %s", name)
		}
		p, err := scenario.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		const seeds = 5
		tally := bundle.NewTally(p.Locks[0], 1, seeds)
		if err := run.Seeds(t.Context(), simulator, p, p.Locks[0], 1, seeds, 1, tally.Count); err != nil {
			t.Fatal(err)
		}
		if tally.Finish(); tally.Tested == 0 {
			t.Errorf("%s: %s", file, tally.UntestedText().English())
		}
	}
}
