package bundle

import (
	"context"
	"io/fs"
	"path"
	"testing"

	"lockstep/internal/checker"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/scenarios"
)

// A story that leads to another one breaks all its locks, and the other one has a lock that leaves
// the data safe.
func TestRemediesSurvive(t *testing.T) {
	stories, err := fs.Glob(scenarios.Files, "lessons/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	play := func(file string) (*Bundle, error) {
		data, err := scenarios.Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p, err := scenario.Parse(path.Base(file), data)
		if err != nil {
			return nil, err
		}
		r, err := run.All(context.Background(), func() run.World { return sim.New() }, p, max(p.Seed, 1), "sim")
		if err != nil {
			return nil, err
		}
		return Of(r, "", ""), nil
	}
	seen := 0
	for _, file := range stories {
		b, err := play(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.Plan.Remedy == "" {
			continue
		}
		seen++
		if Remedy(b) == "" {
			t.Errorf("%s has a remedy, and a lock in it survives", file)
		}
		remedy, err := play("lessons/" + b.Plan.Remedy + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		safe := false
		for i := range remedy.Runs {
			impact := remedy.Runs[i].Judgement.Impact()
			safe = safe || impact == checker.ImpactKept || impact == checker.ImpactSafe
		}
		if !safe {
			t.Errorf("%s: nothing in %s leaves the data safe", file, b.Plan.Remedy)
		}
	}
	if seen < 5 {
		t.Errorf("%d stories have a remedy", seen)
	}
}
