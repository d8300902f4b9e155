package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/report/matrixpage"
	"lockstep/internal/say"
	"lockstep/internal/sim"
)

type matrixFlags struct {
	cellFlags
	shards  shardFlags
	seeds   int
	scripts bool
	export  string
}

func matrixCommand(g *globals) *cobra.Command {
	f := &matrixFlags{cellFlags: cellFlags{globals: g}}
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "Measure every lock under every kind of fault",
		Long: `Measure every lock under every kind of fault. Each cell plays scripts that cause the
fault, made to fit the commands that the lock sends, and then random variations of them.
It adds what the stored exhaustive search (measurements/explore.json.gz, see simulate
explore) found with single faults of the same kinds. The letter is the worst outcome
seen:

` + helpOf(checker.CellLetters, letterMeans) + `

S means that none of these runs and schedules ended worse. A star marks a cell in which the
resource was damaged, behind a fence if the lock hands out tokens. On real servers (--backend
process) only the scripts are played unless --seeds says otherwise; there, and at a scale
other than 1, the stored search is not used.

The page of the whole matrix, matrix.html, links to a page of evidence for each lock, in
the folder matrix; a page of some locks or faults contains its evidence.

--scripts plays the scripts as they stand, and lists each with the letter that it
showed; --export writes them as scenario files, too.`,
		Example: `  simulate matrix --lock redlock --fault GP,RS --seeds 1000        # two cells
  simulate matrix --lock set-nx-lua --backend process --scale 0.1  # for real
  simulate matrix --scripts --lock redlock --export mine           # as files`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.measure(cmd.Context(), cmd.Flags().Changed("seeds"))
		},
	}
	f.add(cmd, sim.Backend, "1")
	cmd.Flags().IntVar(&f.seeds, "seeds", 200, "random variations of each cell's scripts")
	cmd.Flags().BoolVar(&f.scripts, "scripts", false, "list the scripts behind the cells, each with its letter, and play no variations")
	cmd.Flags().StringVar(&f.export, "export", "", "with --scripts: write them to this folder as scenario files, overwriting none")
	f.shards.add(cmd)
	return speaks(cmd, g)
}

func letterMeans(x checker.LetterMeaning) (name, meaning string) {
	return string(x.Letter), x.Means.English()
}

// measure measures the matrix; asked is set if the user has given --seeds.
func (f *matrixFlags) measure(ctx context.Context, asked bool) error {
	if err := f.shards.parse(); err != nil {
		return err
	}
	c, err := f.chosen(matrix.Columns())
	if err != nil {
		return err
	}
	o := matrix.Options{
		Locks: c.locks, Columns: c.columns, ScalePPM: c.scalePPM, Refuse: c.refuse,
		Seeds: f.seeds, Jobs: f.jobs, Backend: f.backend, Profiles: simulator,
	}
	if o.Worlds, err = backend(f.backend, o.ScalePPM, nil); err != nil {
		return err
	}
	switch {
	case f.seeds < 0:
		return errors.New("--seeds cannot be negative")
	case f.shards.asked() && (f.scripts || f.live()):
		return errors.New("--shard divides a matrix of the simulator: leave --scripts and --backend out")
	case f.scripts && asked:
		return errors.New("--scripts lists the scripts as they stand: leave --seeds out")
	case f.export != "" && !f.scripts:
		return errors.New("--export writes the scripts: add --scripts")
	case f.scripts || f.live() && !asked:
		o.Seeds = 0
	}
	if !f.live() && c.scalePPM == million {
		walk, err := storedWalk()
		if err != nil {
			return err
		}
		o.Walk = walk.Only(func(l *results.ExploredLock) bool {
			return slices.ContainsFunc(c.locks, func(v locks.Variant) bool { return v.ID == l.Lock })
		})
		if err := explore.AddTexts(o.Walk); err != nil {
			return bug(err)
		}
	}
	started := time.Now()
	if err := f.measureElsewhere(ctx, &o); err != nil {
		return err
	}
	m, err := f.cells(ctx, o)
	if m != nil && err != nil {
		return f.partOf(m, err)
	}
	if err != nil {
		return err
	}
	if f.scripts {
		return f.listScripts(m)
	}
	page, err := f.save(ctx, m)
	if err != nil {
		return err
	}
	if err := f.show(m); err != nil || f.json {
		return err
	}
	took := say.Verbatim(fmt.Sprintf("%.1f", time.Since(started).Seconds()))
	fmt.Fprintf(f.stdout, "\n%s\n", say.RunsAndPage.With(say.Number(runsOf(m)), took, say.Verbatim(page)).In(f.language))
	if len(m.Cells) == 1 {
		return f.again(m)
	}
	return nil
}

func (f *matrixFlags) cells(ctx context.Context, o matrix.Options) (*matrix.Matrix, error) {
	bar := f.bar("matrix", o.Shard.Count(len(o.Locks)*len(o.Columns)))
	o.Progress = func(done, _ int) { _ = bar.Set(done) }
	m, err := matrix.Measure(ctx, o)
	_ = bar.Finish()
	return m, err
}

// partOf shows the cells that were complete when the matrix was interrupted. It writes no page,
// which would overwrite a complete one.
func (f *matrixFlags) partOf(m *matrix.Matrix, interrupted error) error {
	over := 0
	for i := range m.Cells {
		if m.Cells[i].Letter != "" {
			over++
		}
	}
	if over == 0 {
		return interrupted
	}
	if err := f.show(m); err != nil {
		return err
	}
	return fmt.Errorf("interrupted after %d of %d cells, which are shown above; no page was written", over, len(m.Cells))
}

// chosenLocks are the named locks, or all that the simulator can play.
func chosenLocks(ids []string) ([]locks.Variant, error) {
	if len(ids) == 0 {
		return locks.Simulated(), nil
	}
	return onceEach("the lock", ids, func(id string) (locks.Variant, error) {
		v, ok := locks.Lookup(id)
		if !ok {
			return v, unknownLock(id)
		}
		if err := v.CheckSimulated(); err != nil {
			return v, fmt.Errorf("the matrix is measured in the simulator, and %w", err)
		}
		return v, nil
	})
}

func chosenColumns(codes []string, among []matrix.Column) ([]matrix.Column, error) {
	if len(codes) == 0 || among == nil {
		return among, nil
	}
	known := each.Map(among, func(c matrix.Column) string { return c.Code })
	return onceEach("the fault column", each.Map(codes, strings.ToUpper), func(code string) (matrix.Column, error) {
		at := slices.Index(known, code)
		if at < 0 {
			return matrix.Column{}, unknownName("fault column", code, known)
		}
		return among[at], nil
	})
}

func (f *matrixFlags) show(m *matrix.Matrix) error {
	if f.json {
		return f.printCells(m.Measured())
	}
	width := 0
	for _, v := range m.Locks {
		width = max(width, len(v.ID))
	}
	fmt.Fprintf(f.stdout, "%-*s", width, "")
	for _, c := range m.Columns {
		fmt.Fprintf(f.stdout, " %2s ", c.Code)
	}
	fmt.Fprintln(f.stdout)
	course := say.Text("The course: misprints").In(f.language)
	for i, v := range m.Locks {
		if course != "" && locks.Misprint(v.ID) && len(f.locks) == 0 {
			fmt.Fprintf(f.stdout, "\n%s\n", course)
			course = ""
		}
		fmt.Fprintf(f.stdout, "%-*s", width, v.ID)
		for k := range m.Columns {
			fmt.Fprintf(f.stdout, " %s", f.letter(m.Cell(i, k)))
		}
		fmt.Fprintln(f.stdout)
	}
	fmt.Fprintln(f.stdout)
	for _, c := range m.Columns {
		fmt.Fprintf(f.stdout, "%2s  %s\n", c.Code, c.Name.In(f.language))
	}
	return nil
}

// letter is a cell's letter in colour, in two columns, with a third one for the mark of damage.
func (f *matrixFlags) letter(c *matrix.Cell) string {
	mark := " "
	if c.Damaged() {
		mark = "*"
	}
	colour, ok := map[checker.Letter]string{
		checker.LetterSafe: "32", checker.LetterDelay: "33", checker.LetterStuck: "35", checker.LetterNone: "2",
	}[c.Letter]
	if !ok {
		colour = "31"
	}
	return f.paint(colour, fmt.Sprintf("%2s%s", string(c.Letter), mark))
}

func runsOf(m *matrix.Matrix) (n int) {
	for i := range m.Cells {
		n += m.Cells[i].Runs + m.Cells[i].Untested
	}
	return n
}

// save writes the page and, for a whole matrix, its pages of evidence.
func (f *matrixFlags) save(ctx context.Context, m *matrix.Matrix) (path string, err error) {
	shown, err := f.matrixPage(ctx, m)
	if err != nil {
		return "", err
	}
	if !f.whole() {
		data, err := matrixpage.HTML(shown)
		return f.savePage(f.pageName(), data, err)
	}
	data, evidence, err := matrixpage.Pages(shown)
	for name, page := range evidence { // order: each file on its own
		path := filepath.Join(f.out, matrixpage.Folder, name)
		if err := writeWhole(path, page); err != nil {
			return path, unwritable(fmt.Errorf("cannot write the page: %w", err), "--out")
		}
	}
	return f.savePage(f.pageName(), data, err)
}

// pageName is the name of the page. A part of the matrix has another name than the whole.
func (f *matrixFlags) pageName() string {
	const most = 48 // characters
	part := strings.ToLower(strings.Join(append(slices.Clone(f.locks), f.columns...), "-"))
	switch {
	case part == "":
		return "matrix.html"
	case len(part) > most:
		return "matrix-part.html"
	}
	return "matrix-" + part + ".html"
}

// again stores the worst run of the only cell as a scenario file, and prints how to play it and
// what else is known of the cell.
func (f *matrixFlags) again(m *matrix.Matrix) error {
	c := &m.Cells[0]
	lines := []string{f.named("worst", say.OfLock.With(say.Verbatim(c.Letter), c.Note))}
	if c.Worst == nil && c.Story == nil {
		lines[0] = f.said(c.Note)
	}
	if c.Worst != nil {
		path := filepath.Join(f.out, "matrix", c.Lock+"-"+c.Fault+".yaml")
		if err := writeWhole(path, []byte(c.Worst.File())); err != nil {
			return unwritable(err, "--out")
		}
		lines = append(lines, f.named("again", say.Verbatim(f.playAgain(path, c))))
	}
	if c.Story != nil {
		lines = append(lines, f.named("story", say.Verbatim("simulate run "+c.Story.Name)))
	}
	if also := c.Also(); len(also) > 0 {
		lines = append(lines, f.named("also", say.List(each.Map(also, func(l checker.Letter) say.Part { return say.Verbatim(l) }))))
	}
	if c.Damaged() {
		lines = append(lines, f.named("damage", matrix.Named(c.DamagedBy)))
	}
	if w := c.Walked; w != nil {
		lines = append(lines, f.named("searched", say.WalkedOfCell.With(say.Grouped(w.Walked), say.Grouped(w.NoEffect))))
	}
	_, err := fmt.Fprintf(f.stdout, "\n%s\n", strings.Join(lines, "\n"))
	return err
}
