package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// playSeeds plays a plan with many seeds and shows the counts; the run that tells most is stored.
func (f *runFlags) playSeeds(ctx context.Context, p *plan.Plan, worlds run.Factory, out *output) (run.Status, error) {
	bar := f.bar(fmt.Sprintf("%s, %d seeds", p.Slug, f.times), f.times*len(p.Locks))
	jobs := f.jobs
	if !history.Simulated(f.backend) {
		jobs = 1 // real servers would disturb each other's timing
	}
	worst := run.NothingExpected
	first := f.seedOf(p)
	var show uint64
	var tallies []*bundle.Tally
	for _, lock := range p.Locks {
		t := bundle.NewTally(lock, first, f.times)
		err := run.Seeds(ctx, worlds, p, lock, first, f.times, jobs, func(o *run.Outcome) {
			t.Count(o)
			out.took(p, []run.Outcome{*o})
			_ = bar.Add(1) // a progress bar that cannot be drawn is no reason to stop
		})
		if err != nil && ctx.Err() == nil {
			return run.Failed, f.cutShort(ctx, p, &run.Result{}, out, err)
		}
		if t.Runs == 0 {
			continue // it was interrupted before
		}
		t.Finish()
		worst = max(worst, t.Worst)
		out.suite.Add(bundle.SuiteRun{Scenario: p.Slug, Lock: lock, Status: t.Worst, Why: t.Why()})
		tallies = append(tallies, t)
	}
	show = telling(tallies, first)
	_ = bar.Finish()
	if ctx.Err() != nil {
		return run.Failed, f.partOfSeeds(p, tallies, show, worlds, out)
	}
	if err := f.showTallies(p, tallies, false, out); err != nil {
		return run.Failed, err
	}
	r, err := run.All(ctx, worlds, p, show, f.backend)
	if err != nil {
		return run.Failed, f.cutShort(ctx, p, r, out, err)
	}
	b, err := out.store(r)
	if err == nil && !f.json {
		fmt.Fprintf(f.stdout, "\n%s\n", f.named("report", say.DirOfSeed.With(say.Verbatim(reportPath(b.RunDir)), say.Seed(show))))
	}
	return worst, err
}

// telling is the seed whose run is stored and opened: the first that missed an expectation, else the first that broke
// something, else the first that tested nothing, else the first of all; of several locks, that of the first one.
func telling(tallies []*bundle.Tally, first uint64) uint64 {
	for _, which := range []func(*bundle.Tally) *uint64{
		func(t *bundle.Tally) *uint64 {
			if t.Worst != run.Missed {
				return nil
			}
			return t.First()
		},
		(*bundle.Tally).FirstBroken,
		(*bundle.Tally).First,
	} {
		for _, t := range tallies {
			if seed := which(t); seed != nil {
				return *seed
			}
		}
	}
	return first
}

// partOfSeeds shows what many seeds had come to when they were interrupted, and stores
// one of them if that takes no longer than somebody waits who has pressed Ctrl-C.
func (f *runFlags) partOfSeeds(p *plan.Plan, tallies []*bundle.Tally, show uint64, worlds run.Factory, out *output) error {
	keeping.Store(true)
	runs := 0
	for _, t := range tallies {
		runs += t.Runs
	}
	if runs == 0 {
		return fmt.Errorf("interrupted: no run of %s was over, and nothing was stored", p.Slug)
	}
	if err := f.showTallies(p, tallies, true, out); err != nil {
		return err
	}
	done := fmt.Sprintf("interrupted after %d of %d runs of %s, which are counted above", runs, f.times*len(p.Locks), p.Slug)
	if f.backend != sim.Backend { // it cannot be played again
		return fmt.Errorf("%s; none is stored", done)
	}
	ctx, stop := context.WithTimeout(context.Background(), patience/4)
	defer stop()
	r, err := run.All(ctx, worlds, p, show, f.backend)
	if err != nil {
		return fmt.Errorf("%s; none is stored", done)
	}
	b, err := out.store(r)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s; seed %d is stored in %s", done, show, b.RunDir)
}

// showTallies shows the counts. Those of an interrupted play have met nothing.
func (f *runFlags) showTallies(p *plan.Plan, tallies []*bundle.Tally, interrupted bool, out *output) error {
	met := !interrupted
	for _, t := range tallies {
		met = met && t.Worst.Good()
	}
	if f.json {
		all := export.SeedsResult{
			Schema: 1, Scenario: p.Slug, Backend: f.backend, Met: met, FirstSeed: f.seedOf(p), Times: f.times,
		}
		for _, t := range tallies {
			all.Locks = append(all.Locks, t.SeedsTally)
		}
		data, err := json.Marshal(all)
		out.objects = append(out.objects, data)
		out.met = out.met && met
		return err
	}
	first := f.seedOf(p)
	fmt.Fprintf(f.stdout, "%s\n\n", f.said(say.SeedsFromTo.With(say.Verbatim(p.Prose(f.language).Name), say.Seed(first), say.Seed(first+uint64(f.times)-1))))
	_, err := io.WriteString(f.stdout, terminal.Seeds(tallies, f.terminal()))
	return err
}
