package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/chaos"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/history"
	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/report/artifacts"
	"lockstep/internal/report/export"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

type runFlags struct {
	*globals
	locks    []string
	command  lockCommand
	expect   string // kept, or "" for the expectations of the scenario
	seed     uint64
	asked    bool // the seed was given; otherwise a scenario may name its own
	times    int
	backend  string
	scale    string
	jobs     int
	scalePPM int64    // of scale
	images   []string // product=name
	formats  []string
	forms    []artifacts.Form // of formats

	dryRun    bool
	playable  bool
	notPlayed []export.NotPlayed // what was left out because the backend cannot play it
}

func runCommand(g *globals) *cobra.Command {
	f := &runFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "run [file|dir|name]...",
		Short: "Play scenarios and judge what happened",
		Long: `Play scenarios and judge what happened. Without arguments, play all of scenarios/, or, with
--lock-command, the stories that a lock of your own should survive. Such a lock is expected
to keep every property, whatever a lesson expects of the locks that it was written for.

` + exitHint,
		Example: `  simulate run pause-past-lease --lock redlock --set lease=30s  # what if?
  simulate run my.yaml --dry-run  # what is wrong with the file?
  simulate run --lock-command ./mylock --backend process  # your program`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.asked = cmd.Flags().Changed("seed")
			if f.dryRun {
				return f.validate(cmd, args)
			}
			return f.run(cmd.Context(), args)
		},
	}
	cmd.Flags().StringSliceVar(&f.locks, "lock", nil, "play these locks instead of the scenario's")
	f.command.flags(cmd)
	cmd.Flags().StringArrayVar(&f.command.breaks, "breaks", nil, "what the program of --lock-command is known to break in a story, as in pause=mutual-exclusion")
	cmd.Flags().StringVar(&f.expect, "expect", "", "kept: expect every lock to keep every property, whatever the scenario expects")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "the seed; the first one with --times; a scenario may name its own")
	cmd.Flags().IntVar(&f.times, "times", 1, "play this many seeds, one after the other")
	cmd.Flags().StringVar(&f.backend, "backend", history.Sim, "the world: sim (simulated), or real servers as processes (process), in containers (docker) or those of docker-compose.yml (compose)")
	cmd.Flags().StringSliceVar(&f.images, "image", nil, "with --backend docker: start these images, as in redis=redis:7")
	cmd.Flags().StringVar(&f.scale, "scale", "1", "multiply every duration: 0.1 plays ten times as fast")
	cmd.Flags().StringSliceVar(&f.formats, "format", nil, "write these in addition to the page and the result: "+strings.Join(moreFormats(), ", "))
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "play nothing: show all problems of the files, for editors and CI")
	cmd.Flags().BoolVar(&f.playable, "playable", false, "leave out what the backend cannot play, and list it")
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many seeds to play at once in the simulator")
	return speaks(settable(cmd, g), g)
}

// maxTimes bounds the memory for the hashes of all runs, 32 bytes for each.
const maxTimes = 10_000_000

func unknownLock(id string) error {
	ids := each.Map(locks.Known(), func(v locks.Variant) string { return v.ID })
	return fmt.Errorf("unknown lock %q: %s", id, scenario.DidYouMean(id, ids, "`simulate list locks` shows them"))
}

func (f *runFlags) run(ctx context.Context, args []string) (err error) {
	if f.scalePPM, err = parseScale(f.scale); err != nil {
		return err
	}
	if f.forms, err = pickFormats(f.formats); err != nil {
		return err
	}
	switch {
	case f.times < 1:
		return fmt.Errorf("--times %d: at least 1", f.times)
	case f.times > maxTimes:
		return fmt.Errorf("--times %d: at most %d; then continue with a later --seed", f.times, maxTimes)
	case f.seed > math.MaxUint64-uint64(f.times):
		return fmt.Errorf("--seed %d --times %d goes past the largest seed: begin with a smaller one", f.seed, f.times)
	case slices.Contains(args, "-") && len(args) > 1:
		return errors.New("- reads one scenario from stdin and cannot be combined with others")
	case f.expect != "" && f.expect != string(checker.Kept):
		return fmt.Errorf("--expect %.40q: the only value is kept; other expectations belong in the scenario or in --breaks", f.expect)
	}
	plans, err := f.loadAll(ctx, f.command.suite(args), os.Stdin)
	if err != nil {
		return err
	}
	if err := f.command.unknownBreaks(plans); err != nil {
		return err
	}
	worlds, err := backend(f.backend, f.scalePPM, f.images)
	if err != nil {
		return err
	}
	for _, p := range plans {
		if err := f.choose(p); err != nil {
			return err
		}
		*p = p.Scaled(f.scalePPM)
		switch {
		case f.playable, len(args) == 0 && f.command.text != "" && isLive(f.backend):
			f.leaveOut(p, func(lock string) error { return refusal(f.backend, f.scalePPM, chaos.Draw(p, f.seedOf(p)), lock) })
		case f.backend == sim.Backend && len(f.locks) == 0 && f.command.text == "" && !named(args, p.File):
			f.leaveOut(p, func(lock string) error { return notSimulated(p, lock) })
		}
		if err := f.check(p); err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	}
	plans = slices.DeleteFunc(plans, func(p *plan.Plan) bool { return len(p.Locks) == 0 })
	if len(plans) == 0 {
		return fmt.Errorf("--backend %s can play none of this: %s", f.backend, f.notPlayed[0].Reason)
	}
	return f.play(ctx, plans, worlds)
}

// check returns why a lock of a plan cannot be played, or nil.
func (f *runFlags) check(p *plan.Plan) error {
	if err := f.checkLocks(p); err != nil {
		return err
	}
	return run.CheckLocks(p)
}

// checkLocks is check without the lease, which a sweep varies.
func (f *runFlags) checkLocks(p *plan.Plan) error {
	for _, lock := range p.Locks {
		if err := scenario.CheckServers(p, lock); err != nil {
			return err
		}
		if err := notSimulated(p, lock); err != nil && f.backend == sim.Backend {
			return err
		}
	}
	return nil
}

// choose replaces the plan's locks by those of --lock. Expectations of every lock apply to them.
func (f *runFlags) choose(p *plan.Plan) error {
	own, err := f.command.add(p)
	if err != nil {
		return err
	}
	if len(f.locks)+len(own) > 0 {
		if err := f.playOnly(p, own); err != nil {
			return err
		}
	}
	if f.expect != "" {
		p.ExpectKept(p.Locks)
	}
	return f.command.expect(p, own)
}

// playOnly restricts the plan to the locks of --lock and --lock-command.
func (f *runFlags) playOnly(p *plan.Plan, own []string) error {
	if _, err := onceEach("the lock", f.locks, func(id string) (v locks.Variant, err error) {
		v, ok := p.Lock(id)
		if !ok {
			err = unknownLock(id)
		}
		return v, err
	}); err != nil {
		return err
	}
	p.PlayOnly(p.LocksPerResource(slices.Concat(f.locks, own)))
	return nil
}

// seedOf is the given seed, else the plan's own, else 1.
func (f *runFlags) seedOf(p *plan.Plan) uint64 {
	if p.Seed > 0 && !f.asked {
		return p.Seed
	}
	return f.seed
}

// play plays all plans and shows each as soon as it is done.
func (f *runFlags) play(ctx context.Context, plans []*plan.Plan, worlds run.Factory) error {
	out := newOutput(f)
	out.plans = len(plans)
	worst := run.NothingExpected
	for _, p := range plans {
		status, err := f.playOne(ctx, p, worlds, out)
		if err != nil {
			return errors.Join(err, out.finish(), out.index())
		}
		worst = max(worst, status)
	}
	if err := errors.Join(out.finish(), out.index()); err != nil {
		return err
	}
	if !f.json && !f.quiet {
		f.warnLargeStore()
	}
	return statusExit(worst)
}

func (f *runFlags) playOne(ctx context.Context, p *plan.Plan, worlds run.Factory, out *output) (run.Status, error) {
	if f.times > 1 {
		return f.playSeeds(ctx, p, worlds, out)
	}
	r, err := run.All(ctx, worlds, p, f.seedOf(p), f.backend)
	if err != nil {
		return run.Failed, f.cutShort(ctx, p, r, out, err)
	}
	return r.Status(), out.result(r)
}

// cutShort stores the completed part of an interrupted run, and classifies any other error.
func (f *runFlags) cutShort(ctx context.Context, p *plan.Plan, r *run.Result, out *output, err error) error {
	if ctx.Err() != nil {
		keeping.Store(true)
		done := slices.DeleteFunc(r.Outcomes, func(o run.Outcome) bool { return o.Judgement.History == nil })
		if r.Outcomes = done; len(done) == 0 {
			return fmt.Errorf("interrupted: nothing of %s was stored; what was stored before stays", p.Slug)
		}
		if err := out.result(r); err != nil {
			return err
		}
		return fmt.Errorf("interrupted: what was played of %s is stored in %s, and counts as unknown", p.Slug, out.dir)
	}
	if history.Simulated(f.backend) {
		return bug(err)
	}
	return environment(err)
}

// replay returns the command line that plays a plan again.
func (f *runFlags) replay(p *plan.Plan, lock string, seed uint64) string {
	what := p.File
	if what == "" || what == "stdin" {
		what = "-"
	}
	line := "simulate run " + shell.Word(what)
	switch v, _ := p.Lock(lock); {
	case f.command.text != "" && (lock == "" || lock == locks.ProgramName):
		line += f.command.replay()
	case v.Program == nil: // otherwise it is part of the file
		line += option("lock", lock, "")
	}
	line += option("expect", f.expect, "") + shell.Set(p.Changes...)
	line += option("seed", fmt.Sprint(seed), "")
	if !history.Simulated(f.backend) {
		line += option("backend", f.backend, "")
	}
	for _, image := range f.images {
		line += option("image", shell.Word(image), "")
	}
	return line + option("scale", f.scale, "1")
}

// option is a flag of a command line to copy, unless it has its default.
func option(name, value, byDefault string) string {
	if value == byDefault {
		return ""
	}
	return " --" + name + " " + value
}

// validate shows all problems of scenarios, for editors and CI, and plays nothing.
func (f *runFlags) validate(cmd *cobra.Command, args []string) error {
	plans, err := f.loadAll(cmd.Context(), args, os.Stdin)
	var invalid *scenario.Invalid
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	if f.json {
		return f.validateJSON(invalid)
	}
	if invalid != nil {
		return invalid
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d valid\n", len(plans))
	return err
}

func (f *runFlags) validateJSON(invalid *scenario.Invalid) error {
	problems := []scenario.Problem{}
	if invalid != nil {
		problems = invalid.Problems
	}
	err := f.printJSON(map[string]any{"schema": 1, "valid": invalid == nil, "problems": problems})
	if err == nil && invalid != nil {
		return silent(exitUsage)
	}
	return err
}
