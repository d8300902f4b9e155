package diagram

import (
	"slices"
	"testing"

	"lockstep/internal/explain"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/bundletest"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/say"
)

// What only real servers have is in the legend of their reports alone.
func TestLegendOfEachWorld(t *testing.T) {
	for backend, want := range map[string]bool{"sim": false, "process": true} {
		got := slices.ContainsFunc(Legend(backend, say.English), func(i LegendItem) bool { return i.Text == unseen })
		if got != want {
			t.Errorf("%s: the legend has what only real servers have: %t", backend, got)
		}
	}
}

func TestSpaceTimeGolden(t *testing.T) {
	j := bundletest.Bundle().Runs[1].Judgement
	steps := explain.Steps(j.History, j.Findings)
	reporttest.Golden(t, "spacetime.svg", []byte(Draw(NewLayout(j.History, steps, true, true), bundle.BarsOf(j.History), "l2-s", say.English)))
}
