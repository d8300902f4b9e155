package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/crosscheck"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/report/worldspage"
	"lockstep/internal/run"
	"lockstep/internal/say"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

type worldsFlags struct {
	cellFlags
	times   int
	letters []string
	keep    string

	topologies, stories bool
}

func compareWorldsCommand(g *globals) *cobra.Command {
	f := &worldsFlags{cellFlags: cellFlags{globals: g}}
	cmd := &cobra.Command{
		Use:   "compare-worlds",
		Short: "Play the matrix in the simulator and on real servers",
		Long: `Test the simulator against real servers. For each cell of the matrix, the most harmful
script is played in both, the same plan with the same lock, and the letters are compared.
Where they differ, the model or the script is wrong.

With --times, each real run is compared with the simulated run of the same seed, and a
cell agrees when all of its seeds do; otherwise it says how many do: 18/20. With --keep,
each real run is written to a file as soon as it is over. The same command line resumes an
interrupted comparison, and all runs in the file count. Histories of real runs that differ,
at most a hundred, go into a folder next to the file, for simulate check.

--stories plays the stories of the stored search (simulate explore) instead of cells of
the matrix: for each set of faults that breaks a lock, the shortest one. A story agrees
when both worlds break the lock in the same ways. --fault then names kinds of faults.

--topologies plays faults of a primary, its replicas and sentinels instead of columns of
the matrix: T1, T2 and so on, each of them cuts, deaths or returns.

S and L count as the same: a busy machine makes clients wait. A cell that real
servers cannot play says why.

Exit codes:
  0    all cells that could be played agree
  1    some differ
  3    some were inconclusive, or none could be played`,
		Example: `  simulate dev compare-worlds --lock set-nx-lua,watchdog-lua  # two locks
  simulate dev compare-worlds --letter V,F,VF,D --times 20    # whatever breaks
  simulate dev compare-worlds --stories --lock redlock  # what the search found`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.compare(cmd) },
	}
	f.add(cmd, processBackend, "0.1")
	cmd.Flags().IntVar(&f.times, "times", 1, "how often each cell is played in each world")
	cmd.Flags().StringSliceVar(&f.letters, "letter", nil, "only cells in which the simulator shows one of these letters")
	cmd.Flags().StringVar(&f.keep, "keep", "", "keep the real runs in this file, and play none that it holds again")
	cmd.Flags().BoolVar(&f.stories, "stories", false, "play the stories of the stored search instead of the matrix")
	cmd.Flags().BoolVar(&f.topologies, "topologies", false, "play cuts and failovers of Redis with Sentinel instead of the matrix")
	return speaks(cmd, g)
}

func (f *worldsFlags) compare(cmd *cobra.Command) error {
	chosen, stories, err := f.choose()
	switch {
	case err != nil:
		return err
	case f.times < 1:
		return fmt.Errorf("--times %d: at least 1", f.times)
	case f.backend == sim.Backend:
		return errors.New("--backend sim: the simulator is compared with real servers, so choose another one")
	}
	o := crosscheck.Options{
		Locks: chosen.locks, Columns: chosen.columns, Stories: stories, ScalePPM: chosen.scalePPM, Refuse: chosen.refuse,
		Sim: simulator, Backend: f.backend, Times: f.times, Jobs: f.jobs,
	}
	if o.Real, err = backend(f.backend, o.ScalePPM, nil); err != nil {
		return err
	}
	if o.Letters, err = chosenLetters(f.letters); err != nil {
		return err
	}
	if f.keep != "" {
		if o.Kept, err = openKept(f.keep, f.backend, o.ScalePPM); err != nil {
			return err
		}
		defer o.Kept.Close() // every run is written already
	}
	bar := f.bar("compare-worlds", chosen.count()+len(stories))
	o.Progress = func(step string, done, all int) {
		bar.Describe(step)
		bar.ChangeMax(all)
		_ = bar.Set(done)
	}
	started := time.Now()
	c, err := crosscheck.Compare(cmd.Context(), o)
	_ = bar.Finish()
	if err != nil && f.keep != "" {
		if cmd.Context().Err() != nil {
			err = errors.New("interrupted")
		}
		return fmt.Errorf("%w: the runs so far are in %s; the same command line continues from there", err, f.keep)
	}
	if err != nil {
		return err
	}
	data, err := worldspage.HTML(f.language, c, f.scale, f.replay())
	page, err := f.savePage("worlds.html", data, err)
	if err != nil {
		return err
	}
	if f.json {
		return cmp.Or(f.printCells(c.Measured()), statusExit(worldsStatus(c)))
	}
	f.print(c)
	n := func(a results.Agreement) say.Number { return say.Number(c.Count(a)) }
	sum := say.WorldsSum.With(n(results.Agrees), n(results.Differs), n(results.Untested), n(results.NotPlayed))
	fmt.Fprintf(f.stdout, "\n%s\n", say.SumAndPage.With(sum, say.Number(time.Since(started).Round(time.Second)/time.Second), say.Verbatim(page)).In(f.language))
	return statusExit(worldsStatus(c))
}

// choose returns what to compare: cells of the matrix, of topologies, or stories of the walk.
func (f *worldsFlags) choose() (cells, []crosscheck.Story, error) {
	switch {
	case f.stories && f.topologies:
		return cells{}, nil, errors.New("--stories and --topologies play different things: choose one of them")
	case f.stories && len(f.letters) > 0:
		return cells{}, nil, errors.New("--letter chooses cells of the matrix: with --stories choose by --fault and --lock")
	case f.topologies:
		c, err := f.chosen(matrix.Topologies())
		return c, nil, err
	case !f.stories:
		c, err := f.chosen(matrix.Columns())
		return c, nil, err
	}
	kinds := f.columns
	if _, err := explore.Expected(kinds); err != nil {
		return cells{}, nil, err
	}
	c, err := f.chosen(nil)
	if err != nil {
		return c, nil, err
	}
	walk, err := storedWalk()
	if err != nil {
		return c, nil, err
	}
	stories, err := crosscheck.Stories(walk, c.locks, kinds)
	switch {
	case err != nil:
		return c, nil, bug(err)
	case len(stories) == 0:
		return c, nil, errors.New("the stored search has no story of these locks with these kinds of faults: simulate advise shows what it has")
	}
	return c, stories, nil
}

func openKept(name, backend string, scalePPM int64) (*crosscheck.Kept, error) {
	k, err := crosscheck.OpenKept(name, backend, scalePPM)
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		return nil, unwritable(err, "--keep")
	}
	if err != nil {
		return nil, fmt.Errorf("--keep: %w", err)
	}
	return k, nil
}

func chosenLetters(names []string) ([]checker.Letter, error) {
	return eachOrError(names, func(name string) (checker.Letter, error) {
		letter := checker.Letter(name)
		if letter.Badness() == 0 {
			return "", fmt.Errorf("--letter %q: there is no such letter; there are S, L, D, F, V and VF", name)
		}
		return letter, nil
	})
}

func worldsStatus(c *crosscheck.Comparison) run.Status {
	switch {
	case c.Count(results.Differs) > 0:
		return run.Missed
	case c.Count(results.Untested) > 0 || c.Count(results.Agrees) == 0:
		return run.Inconclusive
	}
	return run.Met
}

// print prints the table, with one letter where the worlds agree and both where they differ, and
// then explains the cells.
func (f *worldsFlags) print(c *crosscheck.Comparison) {
	if len(c.Columns) == 0 {
		f.printStories(c)
		f.printWhy(c)
		return
	}
	table := tabwriter.NewWriter(f.stdout, len("V/S")+4, 0, 2, ' ', 0)
	line := ""
	for _, col := range c.Columns {
		line += "\t" + col.Code
	}
	fmt.Fprintln(table, line)
	for i, v := range c.Locks {
		line = v.ID
		cells := c.Row(i)
		for k := range cells {
			line += "\t" + cellText(&cells[k])
		}
		fmt.Fprintln(table, line)
	}
	_ = table.Flush() // the screen records errors
	fmt.Fprintf(f.stdout, "\n  %s\n", say.Text("V the same letter in both worlds   V/S simulated V, real S   V/? nothing tested   - not played").In(f.language))
	if _, most := c.PairsOfCells(); most > 1 {
		fmt.Fprintf(f.stdout, "  %s\n", say.Text("V/S 18/20 of 20 seeds, 18 have the same letter in both worlds").In(f.language))
	}
	f.printWhy(c)
}

// printStories counts the stories of each lock.
func (f *worldsFlags) printStories(c *crosscheck.Comparison) {
	for i, v := range c.Locks {
		count := map[results.Agreement]say.Number{}
		for _, cell := range c.Row(i) {
			count[cell.Agreement]++
		}
		if len(count) > 0 {
			f.printSaid(say.StoriesOfLock.With(say.Verbatim(v.ID), count[results.Agrees], count[results.Differs], count[results.Untested], count[results.NotPlayed]))
		}
	}
}

func cellText(c *crosscheck.Cell) string {
	switch c.Agreement {
	case results.NotPlayed:
		return "-"
	case results.Agrees:
		return string(c.Simulated)
	}
	p := c.Shown()
	text := p.Simulated + "/" + p.Real
	if len(c.Pairs) > 1 {
		text += fmt.Sprintf(" %d/%d", c.Agreeing(), len(c.Pairs))
	}
	return text
}

// printWhy lists the cells that differ or tested nothing, and why others were not played.
func (f *worldsFlags) printWhy(c *crosscheck.Comparison) {
	var reasons []string
	for i := range c.Cells {
		cell := &c.Cells[i]
		switch cell.Agreement {
		case results.Differs, results.Untested:
			under := say.Under.With(say.Verbatim(cell.Lock), say.Verbatim(cell.Fault))
			fmt.Fprintf(f.stdout, "\n%s\n", f.said(say.CellDiffers.With(under, say.Text(string(cell.Agreement)), cell.Script)))
			f.printPairs(cell)
			if !cell.Why.Empty() {
				fmt.Fprintf(f.stdout, "  %s\n", f.said(cell.Why))
			}
		case results.NotPlayed:
			reasons = append(reasons, cell.Why.In(f.language))
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintf(f.stdout, "\n%s\n", f.said(say.NoneOnBackend.With(say.Verbatim(c.Backend))))
	}
	f.printReasons(reasons)
}

// tellPairs shows the results of the runs of a cell, each pair of results with its seeds, so that a
// user can play them again.
func (f *worldsFlags) printPairs(c *crosscheck.Cell) {
	if len(c.Pairs) > 1 {
		fmt.Fprintf(f.stdout, "  %s\n", f.said(say.SeedsAgree.With(say.Number(c.Agreeing()), say.Number(len(c.Pairs)))))
	}
	type letters struct{ simulated, real string }
	apart := slices.DeleteFunc(slices.Clone(c.Pairs), func(p results.WorldRun) bool { return p.Agreement == results.Agrees })
	for _, same := range each.Groups(apart, func(p results.WorldRun) letters { return letters{p.Simulated, p.Real} }) {
		seeds := each.Map(same.All, func(p results.WorldRun) string { return fmt.Sprint(p.Seed) })
		fmt.Fprintf(f.stdout, "  %s\n", f.said(say.SeedsCameTo.With(
			say.Verbatim(same.Key.simulated), say.Verbatim(same.Key.real), say.Number(len(seeds)), say.Verbatim(strings.Join(seeds, ", ")))))
	}
	for _, p := range c.Pairs {
		if p.Agreement == results.Differs && p.History != "" {
			fmt.Fprintf(f.stdout, "  %s\n", f.said(say.RealRunOfSeed.With(say.Seed(p.Seed), say.Verbatim("simulate check "+shell.Word(p.History)))))
		}
	}
}

// replay is the command line that compares the worlds again.
func (f *worldsFlags) replay() string {
	line := fmt.Sprintf("simulate dev compare-worlds --backend %s --scale %s --times %d", f.backend, f.scale, f.times) + f.narrowed()
	if f.stories {
		line += " --stories"
	}
	if f.topologies {
		line += " --topologies"
	}
	return line + option("letter", strings.Join(f.letters, ","), "")
}
