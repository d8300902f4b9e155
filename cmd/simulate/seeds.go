package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

// tally counts what many seeds of one lock have shown.
type tally struct {
	export.SeedsTally
	worst    run.Status
	reasons  map[string]say.Phrase // by their English
	missed   *uint64               // the first seed that missed an expectation
	hashes   []history.Hash
	untested []say.Phrase // by seed: why it tested nothing; empty for those that did
}

// playSeeds plays a plan with many seeds and shows the counts; the first run that
// missed an expectation is stored, else the first run of all.
func (f *runFlags) playSeeds(ctx context.Context, p *plan.Plan, worlds run.Factory, out *output) (run.Status, error) {
	bar := f.bar(fmt.Sprintf("%s, %d seeds", p.Slug, f.times), f.times*len(p.Locks))
	jobs := f.jobs
	if !history.Simulated(f.backend) {
		jobs = 1 // real servers would disturb each other's timing
	}
	worst := run.NothingExpected
	first := f.seedOf(p)
	show := first
	var tallies []*tally
	for _, lock := range p.Locks {
		t := &tally{hashes: make([]history.Hash, f.times), untested: make([]say.Phrase, f.times)}
		t.SeedsTally = export.SeedsTally{
			Lock: lock, Letters: map[checker.Letter]int{}, Broken: map[string]int{}, FirstBroke: map[string]uint64{},
		}
		err := run.Seeds(ctx, worlds, p, lock, first, f.times, jobs, func(o *run.Outcome) {
			t.count(o, first)
			_ = bar.Add(1) // a progress bar that cannot be drawn is no reason to stop
		})
		if err != nil && ctx.Err() == nil {
			return run.Failed, f.cutShort(ctx, p, &run.Result{}, out, err)
		}
		if t.Runs == 0 {
			continue // it was interrupted before
		}
		t.finish()
		if t.worst > worst && t.worst > run.Met {
			show = *t.first()
		}
		worst = max(worst, t.worst)
		out.suite.add(suiteRun{p.Slug, lock, t.worst, t.why()})
		tallies = append(tallies, t)
	}
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
		fmt.Fprintf(f.stdout, "\n%s\n", f.named("report", say.DirOfSeed.With(say.Verbatim(reportPath(b.RunDir)), seedText(show))))
	}
	return worst, err
}

// partOfSeeds shows what many seeds had come to when they were interrupted, and stores
// one of them if that takes no longer than somebody waits who has pressed Ctrl-C.
func (f *runFlags) partOfSeeds(p *plan.Plan, tallies []*tally, show uint64, worlds run.Factory, out *output) error {
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

func (t *tally) count(o *run.Outcome, first uint64) {
	t.Runs++
	t.Letters[o.Judgement.Letter]++
	t.hashes[o.Seed-first] = o.Judgement.History.Hash()
	for _, f := range o.Judgement.Findings {
		if f.Verdict != checker.Broken {
			continue
		}
		t.Broken[f.Property]++
		if seed, seen := t.FirstBroke[f.Property]; !seen || o.Seed < seed {
			t.FirstBroke[f.Property] = o.Seed
		}
	}
	status := o.Status()
	t.worst = max(t.worst, status)
	t.untested[o.Seed-first] = o.WhyUntested()
	if status.Good() {
		t.Met++
		return
	}
	if status == run.Missed && (t.missed == nil || o.Seed < *t.missed) {
		seed := o.Seed
		t.missed = &seed
	}
	if t.FirstMiss == nil || o.Seed < *t.FirstMiss {
		seed := o.Seed
		t.FirstMiss = &seed
	}
}

// finish counts what can be counted only when no more seeds come.
func (t *tally) finish() {
	if t.Runs == len(t.hashes) { // else somebody has interrupted it
		t.Hash = history.CombineHashes(t.hashes).String()
	}
	t.Unasked = t.worst == run.NothingExpected
	t.reasons = map[string]say.Phrase{}
	var whys []string
	for _, why := range t.untested {
		if !why.Empty() {
			t.reasons[why.English()] = why
			whys = append(whys, why.English())
		}
	}
	t.Untested, t.Tested = len(whys), t.Runs-len(whys)
	t.Reasons = []export.UntestedReason{}
	for _, r := range bundle.Reasons(whys) {
		t.Reasons = append(t.Reasons, export.UntestedReason{Reason: r.Text, Runs: r.N})
	}
}

// first is the first seed that missed something, else the first that tested nothing.
func (t *tally) first() *uint64 {
	if t.missed != nil {
		return t.missed
	}
	return t.FirstMiss
}

// why says why not every run came to what was expected; nothing when every one did.
func (t *tally) why() say.Phrase {
	switch t.worst {
	case run.Missed:
		return say.FirstWithSeed.With(seedText(*t.missed))
	case run.Inconclusive:
		if t.Untested == 0 {
			return say.SeedIs.With(seedText(*t.FirstMiss))
		}
		return t.untestedText()
	}
	return say.Phrase{}
}

func seedText(seed uint64) say.Verbatim { return say.Verbatim(strconv.FormatUint(seed, 10)) }

// showTallies shows the counts. Those of an interrupted play have met nothing.
func (f *runFlags) showTallies(p *plan.Plan, tallies []*tally, interrupted bool, out *output) error {
	met := !interrupted
	for _, t := range tallies {
		met = met && t.worst.Good()
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
	fmt.Fprintf(f.stdout, "%s\n\n", f.said(say.SeedsFromTo.With(say.Verbatim(p.Prose(f.language).Name), seedText(first), seedText(first+uint64(f.times)-1))))
	rows := [][]string{}
	for _, t := range tallies {
		met := say.SomeOf.With(say.Number(t.Met), say.Number(t.Runs))
		if t.Unasked {
			met = say.Text("nothing was expected")
		}
		rows = append(rows, []string{t.Lock, met.In(f.language), t.brokenText().In(f.language)})
	}
	f.printTable(f.stdout, []string{"lock", "as expected", "broken (runs; first seed)"}, rows)
	for _, t := range tallies {
		if t.Untested > 0 {
			fmt.Fprintln(f.stdout, f.said(say.OfLock.With(say.Verbatim(t.Lock), t.untestedText())))
		}
	}
	return nil
}

func (t *tally) brokenText() say.Part {
	switch {
	case t.Tested == 0:
		return say.Text("unknown: no run tested anything")
	case len(t.Broken) == 0:
		// The rule of three: with no event in n runs, the rate is below 3/n with 95 % confidence.
		return say.NoneBroke.With(say.Number(t.Tested), say.Number(max(t.Tested/3, 1)))
	}
	var parts say.List
	for _, name := range slices.Sorted(maps.Keys(t.Broken)) {
		parts = append(parts, say.BrokeIn.With(say.Verbatim(name), say.Number(t.Broken[name]), say.Number(t.Tested), seedText(t.FirstBroke[name])))
	}
	return parts
}

// mostReasons is how many reasons are spelled out.
const mostReasons = 3

// untestedText says how many runs tested nothing, and why.
func (t *tally) untestedText() say.Phrase {
	var parts say.Remarks
	for _, r := range t.Reasons[:min(len(t.Reasons), mostReasons)] {
		parts = append(parts, say.ReasonTimes.With(t.reasons[r.Reason], say.Number(r.Runs)))
	}
	if more := len(t.Reasons) - mostReasons; more > 0 {
		parts = append(parts, say.MoreReasons.With(say.Number(more)))
	}
	return say.TestedNothing.With(say.Number(t.Untested), say.Number(t.Runs), parts)
}
