package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/locks"
	"lockstep/internal/plan"
	"lockstep/internal/run"
	"lockstep/internal/scenario"
)

// runFlags are the flags of `simulate run`.
type runFlags struct {
	*globals
	locks   []string
	seed    uint64
	times   int
	backend string
	scale   string
	jobs    int

	playable  bool
	notPlayed []notPlayed // with playable: what the backend cannot do
}

func runCommand(g *globals) *cobra.Command {
	f := &runFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "run [file|dir|name]...",
		Short: "Play scenarios and judge what happened",
		Long: `Play scenarios and judge what happened. Without arguments: all below scenarios/.

` + exitHelp,
		Example: `  simulate run scenarios/lessons/pause-past-lease.yaml
  simulate run pause-past-lease --lock set-nx-lua --seed 7
  simulate run pause-past-lease --times 1000
  simulate run scenarios/lessons --backend process --scale 0.1`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), args) },
	}
	cmd.Flags().StringSliceVar(&f.locks, "lock", nil, "play these locks instead of the scenario's")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "the seed; the first one with --times")
	cmd.Flags().IntVar(&f.times, "times", 1, "play with that many seeds, one after the other")
	cmd.Flags().StringVar(&f.backend, "backend", "sim", "the world: sim (simulated) or process (real servers)")
	cmd.Flags().StringVar(&f.scale, "scale", "1", "multiply every duration: 0.1 plays ten times as fast")
	cmd.Flags().BoolVar(&f.playable, "playable", false, "leave out what the backend cannot play, and say what it was")
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many seeds to play at once in the simulator")
	cmd.Flags().Lookup("jobs").DefValue = "one for each core" // help and docs are the same on every machine
	return cmd
}

func lockIDs() []string {
	var ids []string
	for _, v := range locks.All() {
		ids = append(ids, v.ID)
	}
	return ids
}

func (f *runFlags) run(ctx context.Context, args []string) error {
	scalePPM, err := parseScale(f.scale)
	if err != nil {
		return err
	}
	if f.times < 1 {
		return fmt.Errorf("--times %d: at least 1", f.times)
	}
	if slices.Contains(args, "-") && len(args) > 1 {
		return errors.New("- reads one scenario from stdin and cannot stand beside others")
	}
	plans, err := loadAll(args, os.Stdin)
	if err != nil {
		return err
	}
	worlds, err := backend(f.backend, scalePPM)
	if err != nil {
		return err
	}
	for _, p := range plans {
		if err := f.choose(p); err != nil {
			return err
		}
		*p = p.Scaled(scalePPM)
		if f.playable {
			f.leaveOut(p)
		}
		if err := run.CheckLeases(p); err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	}
	plans = slices.DeleteFunc(plans, func(p *plan.Plan) bool { return len(p.Locks) == 0 })
	if len(plans) == 0 {
		return fmt.Errorf("--backend %s can play none of this: %s", f.backend, f.notPlayed[0].Reason)
	}
	return f.play(ctx, plans, worlds)
}

// choose replaces the plan's locks by those of --lock. What the scenario expects
// of other locks does not count then.
func (f *runFlags) choose(p *plan.Plan) error {
	if len(f.locks) == 0 {
		return nil
	}
	for _, id := range f.locks {
		if _, ok := locks.Lookup(id); !ok {
			hint := "`simulate list locks` shows them"
			if near := scenario.Nearest(id, lockIDs()); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return fmt.Errorf("unknown lock %q: %s", id, hint)
		}
	}
	p.Locks = f.locks
	p.Expect = slices.DeleteFunc(p.Expect, func(e plan.Expectation) bool { return !slices.Contains(f.locks, e.Lock) })
	return nil
}

// play plays all plans and shows each as soon as it is done.
func (f *runFlags) play(ctx context.Context, plans []*plan.Plan, worlds run.Factory) error {
	out := newOutput(f)
	out.plans = len(plans)
	worst := run.Met
	for _, p := range plans {
		status, err := f.playOne(ctx, p, worlds, out)
		if err != nil {
			return errors.Join(err, out.finish())
		}
		worst = max(worst, status)
	}
	if err := out.finish(); err != nil {
		return err
	}
	switch worst {
	case run.Missed:
		return &silentExit{exitMissed}
	case run.Inconclusive:
		return &silentExit{exitInconclusive}
	default:
		return nil
	}
}

func (f *runFlags) playOne(ctx context.Context, p *plan.Plan, worlds run.Factory, out *output) (run.Status, error) {
	if f.times > 1 {
		return f.playSeeds(ctx, p, worlds, out)
	}
	r, err := run.All(ctx, worlds, p, f.seed, f.backend)
	if err != nil {
		return run.Failed, f.cutShort(ctx, r, out, err)
	}
	return r.Status(), out.result(r)
}

// cutShort stores what there is of an interrupted run, and tells a bug of ours
// from a mistake of the environment.
func (f *runFlags) cutShort(ctx context.Context, r *run.Result, out *output, err error) error {
	if ctx.Err() != nil {
		done := slices.DeleteFunc(r.Outcomes, func(o run.Outcome) bool { return o.Judgement.History == nil })
		if r.Outcomes = done; len(done) > 0 {
			return errors.Join(errors.New("interrupted; what was played is stored, and counts as unknown"), out.result(r))
		}
		return errors.New("interrupted, nothing was stored")
	}
	if f.backend == "sim" {
		return &bugError{err}
	}
	return &environmentError{err}
}

// replay returns the command line that plays a plan again.
func (f *runFlags) replay(p *plan.Plan, lock string, seed uint64) string {
	what := p.File
	if what == "" || what == "stdin" {
		what = "-"
	}
	words := []string{"simulate", "run", shellWord(what)}
	if lock != "" {
		words = append(words, "--lock", lock)
	}
	words = append(words, "--seed", fmt.Sprint(seed))
	if f.backend != "sim" {
		words = append(words, "--backend", f.backend)
	}
	if f.scale != "1" {
		words = append(words, "--scale", f.scale)
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell when it needs it.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
