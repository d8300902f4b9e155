package run

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/real/realtest"
	"lockstep/internal/scenario/scenariotest"
	"lockstep/internal/sim"
)

// allScenarios loads every scenario file of the repository, with the locks that the
// simulator can play.
func allScenarios(t *testing.T) []*plan.Plan {
	t.Helper()
	var plans []*plan.Plan
	err := filepath.WalkDir("../../scenarios", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			p := scenariotest.Load(t, path)
			p.Locks = slices.DeleteFunc(p.Locks, func(id string) bool {
				v, _ := locks.Lookup(id)
				return v.CheckSimulated() != nil
			})
			if len(p.Locks) > 0 {
				plans = append(plans, p)
			}
		}
		return err
	})
	if err != nil || len(plans) < 8 {
		t.Fatalf("%d scenarios, %v", len(plans), err)
	}
	return plans
}

// Every lesson meets its expectations with every seed, except a story that names its seed.
func TestLessonsMeetTheirExpectations(t *testing.T) {
	seeds := uint64(realtest.Tiers(8, 50))
	w := sim.New()
	defer w.Close()
	for _, p := range allScenarios(t) {
		first, last := uint64(1), seeds
		if p.Seed > 0 {
			first, last = p.Seed, p.Seed
		}
		for _, lock := range p.Locks {
			for seed := first; seed <= last; seed++ {
				out := One(context.Background(), w, p, lock, seed)
				if out.Status().Good() {
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
			out = append(out, e.Property+" expected "+e.Verdict+", got "+string(e.Got)+" "+o.Judgement.Finding(e.Property).Reason.English())
		}
	}
	return out
}
