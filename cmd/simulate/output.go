package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"time"

	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

// output shows results: as text at once, or as one JSON object at the end.
type output struct {
	f       *runFlags
	started time.Time
	objects []json.RawMessage
	met     bool
	shown   int
	stored  int
	dir     string // of the last stored run
	plans   int    // the total number of plans
	suite   bundle.Suite
	tried   run.Tried // with programs
	own     bool      // a program was played
}

func newOutput(f *runFlags) *output {
	return &output{f: f, started: time.Now(), met: true}
}

// result stores one result and shows it.
func (o *output) result(r *run.Result) error {
	took := time.Since(o.started)
	o.started = time.Now()
	b, err := o.store(r)
	if err != nil {
		return err
	}
	o.met = o.met && r.Status().Good()
	o.suite.AddResult(r)
	o.took(r.Plan, r.Outcomes)
	if o.f.json {
		data, err := export.Result(b)
		o.objects = append(o.objects, data)
		return err
	}
	if o.shown++; o.shown > 1 {
		fmt.Fprintln(o.f.stdout)
	}
	shown := o.f.terminal()
	shown.Took = took
	_, err = io.WriteString(o.f.stdout, terminal.Report(b, shown))
	return err
}

// took records what a program was tested with.
func (o *output) took(p *plan.Plan, outcomes []run.Outcome) {
	for i := range outcomes {
		if v, _ := p.Lock(outcomes[i].Lock); v.Program != nil {
			o.tried.Add(p, &outcomes[i])
			o.own = true
		}
	}
}

// finish prints what was kept for the end.
func (o *output) finish() error {
	if !o.f.json {
		o.f.printNotPlayed()
		if o.plans > 1 {
			fmt.Fprint(o.f.stdout, terminal.Suite(&o.suite, len(o.f.notPlayed), o.f.language))
		}
		if o.own {
			fmt.Fprintln(o.f.stdout)
			for _, line := range o.tried.Lines() {
				o.f.printSaid(line)
			}
		}
		return nil
	}
	if len(o.objects) == 1 && len(o.f.notPlayed) == 0 {
		_, err := o.f.stdout.Write(append(bytes.TrimSpace(o.objects[0]), '\n'))
		return err
	}
	if o.objects == nil {
		o.objects = []json.RawMessage{}
	}
	all := export.SeveralResult{
		Schema: 1, Met: o.met, Counts: o.suite.Counts(len(o.f.notPlayed)), Runs: o.objects, NotPlayed: o.f.notPlayed,
	}
	if o.f.playable && all.NotPlayed == nil {
		all.NotPlayed = []export.NotPlayed{} // the user asked, so an empty list is printed
	}
	return o.f.printJSON(all)
}

func (o *output) store(r *run.Result) (*bundle.Bundle, error) {
	b := bundle.Of(r, o.f.replay(r.Plan, o.f.oneLock(r.Plan), r.Seed), buildVersion())
	dir := runstore.Dir(o.f.out, r.Plan.Slug, r.Seed, time.Now())
	started := runstore.Env{Version: buildVersion(), Scale: o.f.scale, Locks: o.f.locks}
	if err := bug(runstore.Keep(o.f.out, dir, r, b, o.f.forms, o.f.language, started)); err != nil {
		return nil, err
	}
	o.stored++
	o.dir = b.RunDir
	publish(b, o.plans)
	return b, nil
}

// index rewrites the list of all runs, if any were stored.
func (o *output) index() error {
	if o.stored == 0 {
		return nil
	}
	return writeIndex(o.f.out, o.f.language)
}

// oneLock names the lock that --lock chose, for the replay line.
func (f *runFlags) oneLock(p *plan.Plan) string {
	if len(f.locks) == 0 || len(p.Locks) != 1 {
		return ""
	}
	return p.Locks[0]
}

// version is set by make dist; "" otherwise.
var version string

// buildVersion is the released version, the commit of the build, or the module's version.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return info.Main.Version
}

// printed prints rendered data; an error of rendering is a bug.
func (g *globals) printed(data []byte, err error) error {
	if err != nil {
		return bug(err)
	}
	_, err = g.stdout.Write(data)
	return err
}

func (g *globals) printJSON(v any) error { return g.printed(sanitize.JSON(v)) }

// reply prints an object with --json, and lines otherwise.
func (g *globals) reply(object map[string]any, lines ...string) error {
	if g.json {
		object["schema"] = 1
		return g.printJSON(object)
	}
	for _, line := range lines {
		fmt.Fprintln(g.stdout, line)
	}
	return g.stdout.err
}

// printCells is printJSON for long lists of small objects.
func (g *globals) printCells(v any) error { return g.printed(sanitize.JSONTable(v)) }

func reportPath(dir string) string { return filepath.Join(dir, "report.html") }

// playSeeds plays a plan with many seeds, shows the counts, and stores the most telling run.
func (f *runFlags) playSeeds(ctx context.Context, p *plan.Plan, worlds run.Factory, out *output) (run.Status, error) {
	bar := f.bar(fmt.Sprintf("%s, %d seeds", p.Slug, f.times), f.times*len(p.Locks))
	jobs := f.jobs
	if !history.Simulated(f.backend) {
		jobs = 1 // real servers would disturb each other's timing
	}
	worst := run.NothingExpected
	first := f.seedOf(p)
	var tallies []*bundle.Tally
	for _, lock := range p.Locks {
		t := bundle.NewTally(lock, first, f.times)
		err := run.Seeds(ctx, worlds, p, lock, first, f.times, jobs, func(o *run.Outcome) {
			t.Count(o)
			out.took(p, []run.Outcome{*o})
			_ = bar.Add(1)
		})
		if err != nil && ctx.Err() == nil {
			return run.Failed, f.cutShort(ctx, p, &run.Result{}, out, err)
		}
		if t.Runs == 0 {
			continue // interrupted
		}
		t.Finish()
		worst = max(worst, t.Worst)
		out.suite.Add(bundle.SuiteRun{Scenario: p.Slug, Lock: lock, Status: t.Worst, Why: t.Why()})
		tallies = append(tallies, t)
	}
	_ = bar.Finish()
	if ctx.Err() != nil {
		return run.Failed, f.partOfSeeds(p, tallies, out)
	}
	show := seedToStore(tallies, first)
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

// seedToStore is the seed whose run is stored: the first that missed an expectation, else the first
// that broke something, else the first that tested nothing, else the first of all. Earlier locks
// come first.
func seedToStore(tallies []*bundle.Tally, first uint64) uint64 {
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

// partOfSeeds shows the results up to an interruption. No run is stored: it would have to be played
// again.
func (f *runFlags) partOfSeeds(p *plan.Plan, tallies []*bundle.Tally, out *output) error {
	runs := 0
	for _, t := range tallies {
		runs += t.Runs
	}
	if runs == 0 {
		return fmt.Errorf("interrupted: no run of %s had finished, and nothing was stored", p.Slug)
	}
	err := f.showTallies(p, tallies, true, out)
	return errors.Join(err, fmt.Errorf("interrupted after %d of %d runs of %s, which are counted above; none is stored", runs, f.times*len(p.Locks), p.Slug))
}

// showTallies shows the counts. After an interruption, no expectation counts as met.
func (f *runFlags) showTallies(p *plan.Plan, tallies []*bundle.Tally, interrupted bool, out *output) error {
	met := !interrupted
	for _, t := range tallies {
		met = met && t.Worst.Good()
	}
	if f.json {
		all := export.SeedsResult{
			Schema: 1, Scenario: p.Slug, Backend: f.backend, Met: met, FirstSeed: f.seedOf(p), Times: f.times,
			Locks: each.Map(tallies, func(t *bundle.Tally) bundle.SeedsTally { return t.SeedsTally }),
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
