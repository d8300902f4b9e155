package tour

import (
	"context"
	"fmt"
	"slices"

	"lockstep/internal/explain"
	"lockstep/internal/faults"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/sim"
	"lockstep/scenarios"
)

// Played is a run of a lesson, judged.
type Played struct {
	judged
	Run  *Run
	Plan *plan.Plan
}

type judged = bundle.Run

// Play plays a run of a lesson in the simulator and judges it. Each run has its own world, so its
// history stays valid.
func Play(ctx context.Context, r *Run, seed uint64) (*Played, error) {
	p, err := r.plan()
	if err != nil {
		return nil, err
	}
	w := sim.New()
	defer w.Close()
	out := run.One(ctx, w, p, r.Lock, seed)
	if out.Err != nil {
		return nil, fmt.Errorf("%s with %s: %w", r.Scenario, r.Lock, out.Err)
	}
	return &Played{judged{Lock: r.Lock, Judgement: out.Judgement}, r, p}, nil
}

// plan reads the embedded scenario and applies the changes of the lesson.
func (r *Run) plan() (*plan.Plan, error) {
	data, err := scenarios.Files.ReadFile("lessons/" + r.Scenario + ".yaml")
	if err != nil {
		return nil, err
	}
	p, err := scenario.Parse("scenarios/lessons/"+r.Scenario+".yaml", data)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(p.Locks, r.Lock) {
		return nil, fmt.Errorf("%s is not played with %s", r.Scenario, r.Lock)
	}
	p.Locks = []string{r.Lock}
	if r.Fence != "" {
		p.Workload.Fence = plan.Fence(r.Fence)
	}
	if r.Pause != 0 {
		f := p.First("pause")
		if f == nil || f.End.For == 0 {
			return nil, fmt.Errorf("%s has no pause of a fixed length", r.Scenario)
		}
		end := f.End
		end.For = r.Pause
		*f = faults.Make(f.Number, f.Spec(), f.Args, f.Trigger, end)
	}
	return p, nil
}

// steps returns the steps to show, and how many were left out before, among and after them.
func (p *Played) steps() (story []explain.Step, before, among, after int) {
	all := explain.Steps(p.Timeline(), p.Judgement.Findings)
	var kept []explain.Step
	for _, s := range all {
		kind := p.Judgement.History.Events[s.Event].Kind.String()
		if s.Violation || !slices.Contains(p.Run.Hide, kind) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return nil, len(all), 0, 0
	}
	broken := slices.IndexFunc(kept, func(s explain.Step) bool { return s.Violation })
	if broken < p.Run.Steps { // early, or nothing broke: from the beginning
		story = kept[:min(p.Run.Steps, len(kept))]
	} else {
		story, _, _ = explain.Story(kept, p.Run.Steps)
	}
	index := func(of explain.Step) int {
		return slices.IndexFunc(all, func(s explain.Step) bool { return s.Event == of.Event })
	}
	before, after = index(story[0]), len(all)-1-index(story[len(story)-1])
	return story, before, len(all) - before - after - len(story), after
}
