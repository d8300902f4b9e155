package bundle_test

import (
	"path/filepath"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/must"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/reporttest"
	"lockstep/internal/scenario/scenariotest"
)

const lessons = "../../../scenarios/lessons/"

// A story with a remedy breaks all its locks, and the remedy has a lock that leaves the data safe.
func TestRemediesSurvive(t *testing.T) {
	files := must.Get(filepath.Glob(lessons + "*.yaml"))(t)
	play := func(file string) *bundle.Bundle {
		p := scenariotest.Load(t, file)
		return bundle.Of(reporttest.Play(t, p, max(p.Seed, 1)), "", "")
	}
	seen := 0
	for _, file := range files {
		b := play(file)
		if b.Plan.Remedy == "" {
			continue
		}
		seen++
		if b.Remedy() == "" {
			t.Errorf("%s has a remedy, and a lock in it survives", file)
		}
		remedy := play(lessons + b.Plan.Remedy + ".yaml")
		safe := false
		for i := range remedy.Runs {
			impact := remedy.Runs[i].Judgement.Impact()
			safe = safe || impact == checker.ImpactKept || impact == checker.ImpactSafe
		}
		if !safe {
			t.Errorf("%s: no lock of %s leaves the data safe", file, b.Plan.Remedy)
		}
	}
	if seen < 5 {
		t.Errorf("%d stories have a remedy", seen)
	}
}
