package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/scenario/scenariotest"
)

// Each question of practice has at most twenty lines, is linked from its page, and has conclusive
// runs.
func TestQuestionsOfPracticeAreAnswered(t *testing.T) {
	page := must.Get(os.ReadFile("../../docs/questions.md"))(t)
	files, err := filepath.Glob("../../scenarios/questions/*.yaml")
	if err != nil || len(files) != 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data := must.Get(os.ReadFile(file))(t)
		english, _, _ := strings.Cut(string(data), "\nzh:")
		_, english, _ = strings.Cut(english, "\n") // the line for editors
		if lines := strings.Count(strings.TrimSpace(english), "\n") + 1; lines > 20 {
			t.Errorf("%s has %d lines", file, lines)
		}
		if name := "scenarios/questions/" + filepath.Base(file); !strings.Contains(string(page), name) {
			t.Errorf("the page does not link %s", name)
		}
		p := scenariotest.Load(t, file)
		const seeds = 5
		tally := bundle.NewTally(p.Locks[0], 1, seeds)
		must.Do(t, run.Seeds(t.Context(), simulator, p, p.Locks[0], 1, seeds, 1, tally.Count))
		if tally.Finish(); tally.Tested == 0 {
			t.Errorf("%s: %s", file, tally.UntestedText().English())
		}
	}
}
