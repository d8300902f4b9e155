package trace

import (
	"path/filepath"
	"testing"

	"lockstep/internal/history"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

// The trace of every lesson and of every lock can be read, with clusters, sessions, sentinels and
// dead servers: slices nest, and each message that arrived has an arrow with two ends.
func TestMachineFormatsOfAllLessons(t *testing.T) {
	files := must.Get(filepath.Glob("../../../scenarios/lessons/*.yaml"))(t)
	if len(files) < 10 {
		t.Fatalf("%d lessons", len(files))
	}
	if testing.Short() {
		files = files[:10]
	}
	seen := map[string]bool{}
	for _, file := range files {
		p := scenariotest.Load(t, file)
		only := p.Locks[:1:1]
		for _, lock := range p.Locks[1:] {
			if !seen[lock] { // reading all of them takes long
				only = append(only, lock)
			}
			seen[lock] = true
		}
		p.PlayOnly(only)
		b := bundle.Of(reporttest.Play(t, p, 1), "", "")
		arrows, messages := 0, 0
		for i := range b.Runs {
			tl := b.Runs[i].Timeline()
			messages += tl.Count(history.Executed) + tl.Count(history.Replied)
		}
		for _, e := range drawTrace(t, b).Events {
			if e.Phase == "s" {
				arrows++
			}
		}
		if arrows != messages {
			t.Errorf("%s: %d arrows for %d messages that arrived", file, arrows, messages)
		}
	}
}
