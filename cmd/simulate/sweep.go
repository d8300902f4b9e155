package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/rate"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/figure"
	"lockstep/internal/report/sweeppage"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
	"lockstep/internal/sweep"
)

// sweepFlags are the flags of the command sweep.
type sweepFlags struct {
	runFlags // for the locks, the first seed and the workers
	property string
	seeds    int
}

func sweepCommand(g *globals) *cobra.Command {
	f := &sweepFlags{runFlags: runFlags{globals: g, backend: sim.Backend, scale: "1"}}
	cmd := &cobra.Command{
		Use:   "sweep <file|name>",
		Short: "Play all settings that a scenario varies: the safe region",
		Long: `Play the grid of settings that a scenario names under vary, each with many seeds, and
map where a property holds: shares of broken runs with their 95 % intervals. Writes a
page, a table (CSV) and the maps as SVG below sweep/ in the run store.

A sweep measures and expects nothing: it ends with 0, and with 3 if nothing was tested.
The same file is an ordinary story for run, which plays it as it stands.

` + exitHelp,
		Example: `  simulate sweep scenarios/search/pause-against-lease.yaml
  simulate sweep pause-against-lease --lock set-nx-lua --seeds 1000
  simulate sweep pause-against-lease --property no-stale-write --json`,
		Args: arguments(1, 1, "one scenario, such as pause-against-lease"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.sweep(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringSliceVar(&f.locks, "lock", nil, "sweep these locks instead of the scenario's")
	cmd.Flags().StringVar(&f.property, "property", checker.MutualExclusionID, "what must hold")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "the first seed")
	cmd.Flags().IntVar(&f.seeds, "seeds", 100, "how many seeds to play at each point")
	cmd.Flags().IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many seeds to play at once")
	cmd.Flags().Lookup("jobs").DefValue = "one for each core"
	return speaks(cmd, g)
}

func (f *sweepFlags) sweep(ctx context.Context, arg string) error {
	p, err := f.swept(ctx, arg)
	if err != nil {
		return err
	}
	points := len(p.Vary[0].Values)
	if len(p.Vary) > 1 {
		points *= len(p.Vary[1].Values)
	}
	bar := f.bar("sweep", points*f.seeds*len(p.Locks))
	maps, err := sweep.Play(ctx, sweep.Options{
		Plan: p, Property: f.property, First: f.seed, Seeds: f.seeds, Jobs: f.jobs,
		Worlds:   simulator,
		Progress: func(done, _ int) { _ = bar.Set(done) },
	})
	_ = bar.Finish()
	if err != nil && ctx.Err() == nil {
		return &bugError{err}
	}
	dir := filepath.Join(f.out, "sweep", p.Slug)
	shown := f.shown(p, maps)
	if ctx.Err() != nil {
		return f.partOf(p, maps, points*f.seeds*len(p.Locks), shown, dir)
	}
	if err := f.save(dir, shown, maps); err != nil {
		return err
	}
	if f.json {
		err = printJSON(f.stdout, f.sweepJSON(p, maps, dir))
	} else {
		_, err = fmt.Fprintf(f.stdout, "%s\n%s\n%s\n%s\n", terminal.Sweep(shown),
			f.named("page", say.Verbatim(filepath.Join(dir, "sweep.html"))),
			f.named("table", say.Verbatim(filepath.Join(dir, "sweep.csv"))), f.named("again", say.Verbatim(shown.Replay)))
	}
	switch {
	case err != nil:
		return err
	case !tested(maps):
		return &silentExit{exitInconclusive}
	}
	return nil
}

// partOf shows the runs that were over when the sweep was interrupted. Nothing is stored: a
// complete map of before stays as it is.
func (f *sweepFlags) partOf(p *plan.Plan, maps []sweep.Map, all int, shown *bundle.Sweep, dir string) (err error) {
	over := 0
	for i := range maps {
		for k := range maps[i].Cells {
			over += maps[i].Cells[k].Tested() + maps[i].Cells[k].Untested
		}
	}
	if over == 0 {
		return errors.New("interrupted: no run was over, and nothing was stored")
	}
	if f.json {
		shown := f.sweepJSON(p, maps, dir)
		delete(shown, "page")
		delete(shown, "table")
		err = printJSON(f.stdout, shown)
	} else {
		_, err = fmt.Fprint(f.stdout, terminal.Sweep(shown))
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("interrupted after %d of %d runs, which are counted above; what an earlier sweep has stored is as it was", over, all)
}

func tested(maps []sweep.Map) bool {
	for i := range maps {
		for k := range maps[i].Cells {
			if maps[i].Cells[k].Tested() > 0 {
				return true
			}
		}
	}
	return false
}

// swept reads the scenario and the flags.
func (f *sweepFlags) swept(ctx context.Context, arg string) (*plan.Plan, error) {
	if f.seeds < 1 || f.seed == 0 || f.jobs < 1 {
		return nil, errors.New("--seeds, --seed and --jobs must be more than 0")
	}
	if err := enoughSeeds(f.seed, f.seeds); err != nil {
		return nil, err
	}
	if _, ok := checker.Lookup(f.property); !ok {
		return nil, unknownName("property", f.property, propertyIDs())
	}
	plans, err := f.loadAll(ctx, []string{arg}, os.Stdin)
	if err != nil {
		return nil, err
	}
	p := plans[0]
	if len(plans) > 1 || len(p.Vary) == 0 {
		return nil, fmt.Errorf("%s does not vary anything: name one scenario with a part such as \"vary: {lease: [500ms, 1s, 2s]}\"", arg)
	}
	if err := f.choose(p); err != nil {
		return nil, err
	}
	if err := f.checkLocks(p); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	return p, f.leases(p)
}

// leases checks the leases of the grid for the locks that were chosen.
func (f *sweepFlags) leases(p *plan.Plan) error {
	c := *p
	for _, a := range p.Vary {
		if a.Key != "lease" || a.Fault > 0 {
			continue
		}
		for _, v := range a.Values {
			point := c
			point.Vary = []plan.Axis{a}
			if err := run.CheckLocks(point.Point(v)); err != nil {
				return fmt.Errorf("%s: %w", p.File, err)
			}
		}
		return nil
	}
	if err := run.CheckLocks(p); err != nil {
		return fmt.Errorf("%s: %w", p.File, err)
	}
	return nil
}

// axisName names an axis with its unit, as its ticks do not.
func axisName(a *plan.Axis) string {
	return a.Name + map[plan.Unit]string{
		plan.UnitDuration: "", plan.UnitCount: " (number)", plan.UnitShare: "", plan.UnitDrift: "",
	}[a.Unit]
}

// ticksOf are the values of an axis, each with its unit.
func ticksOf(a *plan.Axis) (out []string) {
	for _, v := range a.Values {
		out = append(out, a.Say(v))
	}
	return out
}

// shown is what the page and the terminal show.
func (f *sweepFlags) shown(p *plan.Plan, maps []sweep.Map) *bundle.Sweep {
	said := p.Prose(f.language)
	s := &bundle.Sweep{
		Language: f.language,
		Title:    said.Name, Story: said.Story, Property: f.property, Seeds: f.seeds, Replay: f.sweepReplay(p),
	}
	for i := range maps {
		m := &maps[i]
		out := bundle.SweepMap{Lock: m.Lock, XName: axisName(&m.X), XTicks: ticksOf(&m.X), YTicks: []string{""}}
		if m.Y != nil {
			out.YName, out.YTicks = axisName(m.Y), ticksOf(m.Y)
		}
		for k := range m.Cells {
			c := &m.Cells[k]
			cell := bundle.SweepCell{Broken: c.Broken, Tested: c.Tested(), Untested: c.Untested, FirstBroke: c.FirstBroke}
			cell.Rate, cell.Low, cell.High = c.Rate()
			out.Cells = append(out.Cells, cell)
		}
		s.Maps = append(s.Maps, out)
	}
	return s
}

func (f *sweepFlags) sweepReplay(p *plan.Plan) string {
	line := fmt.Sprintf("simulate sweep %s --seeds %d", shell.Word(p.File), f.seeds)
	if len(f.locks) > 0 {
		line += " --lock " + strings.Join(f.locks, ",")
	}
	if f.property != checker.MutualExclusionID {
		line += " --property " + f.property
	}
	if f.seed != 1 {
		line += fmt.Sprintf(" --seed %d", f.seed)
	}
	return line
}

// save writes the page, the table and the maps.
func (f *sweepFlags) save(dir string, s *bundle.Sweep, maps []sweep.Map) error {
	page, err := sweeppage.HTML(s)
	if err != nil {
		return &bugError{err}
	}
	files := []runstore.File{{Name: "sweep.html", Data: page}, {Name: "sweep.csv", Data: sweepCSV(maps)}}
	for i := range s.Maps {
		svg, err := figure.SafeRegion(&s.Maps[i], s.Property, s.Language)
		if err != nil {
			return &bugError{err}
		}
		files = append(files, runstore.File{Name: "safe-region-" + s.Maps[i].Lock + ".svg", Data: svg})
	}
	if err := replaceFiles(dir, files); err != nil {
		return unwritable(fmt.Errorf("cannot write the sweep: %w", err), "--out")
	}
	return writeIndex(f.out, f.language)
}

// sweepCSV is one line per point. Rates are in millionths, durations in nanoseconds:
// integers, so that a spreadsheet takes them as they are.
func sweepCSV(maps []sweep.Map) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	x, y := &maps[0].X, maps[0].Y
	head := []string{"lock", "property", x.Name, column(x)}
	if y != nil {
		head = append(head, y.Name, column(y))
	}
	_ = w.Write(append(head, "tested", "broken", "untested", "rate_ppm", "low_ppm", "high_ppm", "first_broken_seed"))
	for i := range maps {
		for k := range maps[i].Cells {
			c := &maps[i].Cells[k]
			row := []string{maps[i].Lock, maps[i].Property, x.Say(c.X), strconv.FormatInt(c.X, 10)}
			if y != nil {
				row = append(row, y.Say(c.Y), strconv.FormatInt(c.Y, 10))
			}
			share, low, high := c.Rate()
			for _, n := range []int64{int64(c.Tested()), int64(c.Broken), int64(c.Untested), share, low, high, int64(c.FirstBroke)} {
				row = append(row, strconv.FormatInt(n, 10))
			}
			_ = w.Write(row)
		}
	}
	w.Flush() // into memory, which never fails
	return b.Bytes()
}

// column names an axis with the unit of its integers.
func column(a *plan.Axis) string {
	return strings.ReplaceAll(a.Name, " ", "_") + map[plan.Unit]string{
		plan.UnitDuration: "_ns", plan.UnitCount: "_count", plan.UnitShare: "_ppm", plan.UnitDrift: "_ppm",
	}[a.Unit]
}

// pointJSON is one point, as other programs read it.
type pointJSON struct {
	X        string  `json:"x"`
	Y        string  `json:"y,omitempty"`
	Tested   int     `json:"tested"`
	Broken   int     `json:"broken"`
	Untested int     `json:"untested"`
	Rate     float64 `json:"rate"`
	Low      float64 `json:"rate_low"`
	High     float64 `json:"rate_high"`
	First    uint64  `json:"first_broken_seed,omitempty"`
}

func (f *sweepFlags) sweepJSON(p *plan.Plan, maps []sweep.Map, dir string) map[string]any {
	type axisJSON struct {
		Name   string   `json:"name"`
		Values []string `json:"values"`
	}
	type mapJSON struct {
		Lock   string      `json:"lock"`
		Points []pointJSON `json:"points"`
	}
	axes := []axisJSON{}
	for i := range p.Vary {
		axes = append(axes, axisJSON{p.Vary[i].Name, ticksOf(&p.Vary[i])})
	}
	var all []mapJSON
	for i := range maps {
		m := mapJSON{Lock: maps[i].Lock}
		for k := range maps[i].Cells {
			c := &maps[i].Cells[k]
			x := pointJSON{X: maps[i].X.Say(c.X), Tested: c.Tested(), Broken: c.Broken, Untested: c.Untested, First: c.FirstBroke}
			if maps[i].Y != nil {
				x.Y = maps[i].Y.Say(c.Y)
			}
			share, low, high := c.Rate()
			x.Rate, x.Low, x.High = rate.InOne(share), rate.InOne(low), rate.InOne(high)
			m.Points = append(m.Points, x)
		}
		all = append(all, m)
	}
	return map[string]any{
		"schema": 1, "scenario": p.Slug, "backend": f.backend, "property": f.property, "first_seed": f.seed, "seeds": f.seeds,
		"axes": axes, "locks": all, "page": filepath.Join(dir, "sweep.html"), "table": filepath.Join(dir, "sweep.csv"),
	}
}
