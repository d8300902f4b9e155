package run

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/plan"
	"lockstep/internal/sim"
)

// allScenarios loads every scenario file of the repository.
func allScenarios(t *testing.T) []*plan.Plan {
	t.Helper()
	var plans []*plan.Plan
	err := filepath.WalkDir("../../scenarios", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			plans = append(plans, load(t, path))
		}
		return err
	})
	if err != nil || len(plans) < 8 {
		t.Fatalf("%d scenarios, %v", len(plans), err)
	}
	return plans
}

// Every lesson tells its story with every seed, not only with the one that the
// author looked at.
func TestLessonsMeetTheirExpectations(t *testing.T) {
	seeds := uint64(50)
	if testing.Short() {
		seeds = 5
	}
	w := sim.New()
	defer w.Close()
	for _, p := range allScenarios(t) {
		if len(p.Expect) == 0 {
			continue
		}
		for _, lock := range p.Locks {
			for seed := uint64(1); seed <= seeds; seed++ {
				out := One(context.Background(), w, p, lock, seed)
				if out.Status() == Met {
					continue
				}
				t.Errorf("simulate run %s --lock %s --seed %d: %v", p.File, lock, seed, why(&out))
				break
			}
		}
	}
}

func why(o *Outcome) []string {
	var out []string
	if o.Err != nil {
		out = append(out, o.Err.Error())
	}
	for _, f := range o.Judgement.Faults {
		if f.Times == 0 {
			out = append(out, "never fired: "+f.Text)
		}
	}
	for _, e := range o.Expected {
		if !e.Met() {
			out = append(out, e.Property+" expected "+e.Verdict+", got "+string(e.Got)+" "+o.Judgement.Finding(e.Property).Reason)
		}
	}
	return out
}
