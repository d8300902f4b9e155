package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign"
	"lockstep/internal/campaign/sweep"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/plan"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/sweeppage"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

type sweepFlags struct{ seedFlags }

func sweepCommand(g *globals) *cobra.Command {
	f := &sweepFlags{seedFlags{runFlags: simulated(g), seedOptions: seedOptions{Properties: make([]string, 1)}}}
	cmd := &cobra.Command{
		Use:   "sweep <file|name>",
		Short: "Play all settings that a scenario varies: the safe region",
		Long: `Play the grid of settings that a scenario names under vary, each with many seeds, and
map where a property holds: shares of broken runs with their 95 % intervals. It writes a page, a table (CSV) and the maps as SVG below sweep/ in the run store.

A sweep checks no expectations: the exit code is 0, or 3 if nothing was tested. For
simulate run the same file is an ordinary story.

` + exitHint,
		Example: `  simulate sweep scenarios/search/pause-against-lease.yaml  # all of its locks
  simulate sweep pause-against-lease --lock set-nx-lua --seeds 1000  # finer
  simulate sweep pause-against-lease --property no-stale-write  # of writes`,
		Args: arguments(1, 1, "one scenario, such as pause-against-lease"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.sweep(cmd.Context(), args[0]) },
	}
	f.add(cmd, "sweep these locks instead of the scenario's", 100, "how many seeds to play at each point")
	cmd.Flags().StringVar(&f.Properties[0], "property", checker.MutualExclusionID, "what must hold")
	return speaks(settable(cmd, g), g)
}

// maps are the maps of this process or of merged parts, after an interruption as far as they were
// complete.
func (f *sweepFlags) maps(ctx context.Context, p *plan.Plan) ([]sweep.Map, error) {
	o := sweep.Options{Plan: p, Property: f.Properties[0], First: f.seed, Seeds: f.Seeds, Jobs: f.jobs, Worlds: simulator}
	shards, err := divided(ctx, &f.shards, f.globals, "sweep", f.seedOptions, func(s campaign.Shard) ([]sweep.Map, error) {
		bar := f.bar("sweep", s.Count(f.runsOf(p)))
		o.Shard, o.Progress = s, func(done, _ int) { _ = bar.Set(done) }
		maps, err := sweep.Play(ctx, o)
		_ = bar.Finish()
		if err != nil && ctx.Err() == nil {
			err = bug(err)
		}
		return maps, err
	})
	if err != nil {
		return slices.Concat(shards...), err
	}
	return sweep.Join(o, shards)
}

func (f *sweepFlags) runsOf(p *plan.Plan) int {
	n := f.Seeds * len(p.Locks)
	for i := range p.Vary {
		n *= len(p.Vary[i].Values)
	}
	return n
}

func (f *sweepFlags) sweep(ctx context.Context, arg string) error {
	p, err := f.swept(ctx, arg)
	if err != nil {
		return err
	}
	maps, err := f.maps(ctx, p)
	if err != nil && ctx.Err() == nil {
		return err
	}
	shown := &bundle.Sweep{
		Language: f.language, Plan: p, Property: f.Properties[0], First: f.seed, Seeds: f.Seeds, Replay: f.sweepReplay(p), Maps: maps,
	}
	if ctx.Err() != nil {
		return f.partOf(shown, f.runsOf(p))
	}
	dir := filepath.Join(f.out, "sweep", p.Slug)
	if err := f.save(dir, shown); err != nil {
		return err
	}
	page, table := filepath.Join(dir, "sweep.html"), filepath.Join(dir, "sweep.csv")
	if err := f.print(shown, map[string]string{"page": page, "table": table}); err != nil {
		return err
	}
	if !f.json {
		fmt.Fprintln(f.stdout, "\n"+f.named("page", say.Verbatim(page)))
		fmt.Fprintln(f.stdout, f.named("table", say.Verbatim(table)))
		fmt.Fprintln(f.stdout, f.named("again", say.Verbatim(shown.Replay)))
	}
	if !shown.Tested() {
		return silent(exitInconclusive)
	}
	return nil
}

// partOf shows the runs that were complete when the sweep was interrupted. It stores nothing, which
// would overwrite a complete map.
func (f *sweepFlags) partOf(shown *bundle.Sweep, all int) error {
	over := shown.Over()
	if over == 0 {
		return errors.New("interrupted: no run had finished, and nothing was stored")
	}
	return cmp.Or(f.print(shown, nil),
		fmt.Errorf("interrupted after %d of %d runs, which are counted above; what an earlier sweep has stored is unchanged", over, all))
}

// print prints the maps; for programs, with the written files.
func (f *sweepFlags) print(s *bundle.Sweep, files map[string]string) error {
	if f.json {
		return f.printed(export.Sweep(s, f.backend, files))
	}
	_, err := fmt.Fprint(f.stdout, terminal.Sweep(s))
	return err
}

func (f *sweepFlags) swept(ctx context.Context, arg string) (*plan.Plan, error) {
	p, err := f.load(ctx, arg)
	if err != nil {
		return nil, err
	}
	if len(p.Vary) == 0 {
		return nil, fmt.Errorf("%s does not vary anything: name one scenario with a part such as \"vary: {lease: [500ms, 1s, 2s]}\"", arg)
	}
	if err := f.checkLocks(p); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	return p, f.leases(p)
}

// leases checks all leases of the grid for the chosen locks.
func (f *sweepFlags) leases(p *plan.Plan) error {
	points := []*plan.Plan{p}
	for _, a := range p.Vary {
		if a.Key == "lease" && a.Fault == 0 {
			one := *p
			one.Vary = []plan.Axis{a}
			points = each.Map(a.Values, func(v int64) *plan.Plan { return one.Point(v) })
		}
	}
	for _, point := range points {
		if err := run.CheckLocks(point); err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	}
	return nil
}

func (f *sweepFlags) sweepReplay(p *plan.Plan) string {
	return fmt.Sprintf("simulate sweep %s --seeds %d", shell.Word(p.File), f.Seeds) + shell.Set(p.Changes...) +
		option("lock", strings.Join(f.locks, ","), "") +
		option("property", f.Properties[0], checker.MutualExclusionID) + option("seed", fmt.Sprint(f.seed), "1")
}

func (f *sweepFlags) save(dir string, s *bundle.Sweep) error {
	page, err := sweeppage.HTML(s)
	if err != nil {
		return bug(err)
	}
	files := []runstore.File{{Name: "sweep.html", Data: page}, {Name: "sweep.csv", Data: export.SweepCSV(s)}}
	for i := range s.Maps {
		svg := figure.Region(s, &s.Maps[i])
		files = append(files, runstore.File{Name: "safe-region-" + s.Maps[i].Lock + ".svg", Data: svg})
	}
	if err := replaceFiles(dir, files); err != nil {
		return unwritable(fmt.Errorf("cannot write the sweep: %w", err), "--out")
	}
	return writeIndex(f.out, f.language)
}
