package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/report/artifacts"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/compare"
	"lockstep/internal/report/export"
	"lockstep/internal/report/page"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

type reportFlags struct {
	*globals
	formats []string
	to      string
	again   bool // --replay
}

func reportCommand(g *globals) *cobra.Command {
	f := &reportFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "report <run-dir>...",
		Short: "Judge and render stored runs again",
		Long: `Judge and render stored runs again, from history.jsonl and scenario.yaml alone. Verdicts
that differ from the stored result are listed: the checkers may have changed since.
A stored run is never changed: what is rendered again goes to again/<scenario>/<run> in the
run store.

Two or more runs are compared: other seeds, locks, worlds, versions of a scenario.
The comparison goes to comparison.html in the run store. It begins with what makes the
runs hard to compare.

With --replay, a run is played again, with its resolved scenario, its seed and its locks,
and the histories are compared: they are identical, byte for byte, or the first
difference is shown. A difference is a bug only if the same version played the run;
otherwise the exit code is 3. Runs on real servers cannot be repeated.

Formats (of a comparison: html and json):
` + helpOf(artifacts.All, formatMeans) + "\n\n" + exitHint,
		Example: `  simulate report reports/pause-past-lease/*         # side by side
  simulate report reports/latest --format junit,md   # for CI
  simulate report reports/latest --replay            # the same bytes?`,
		Args:              arguments(1, many, "run directories, such as reports/latest"),
		ValidArgsFunction: completeRuns(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args)
		},
	}
	cmd.Flags().StringSliceVar(&f.formats, "format", formatNames(artifacts.With(nil)), "what to write")
	cmd.Flags().BoolVar(&f.again, "replay", false, "play a run again, and compare the histories")
	cmd.Flags().StringVar(&f.to, "to", "", "the directory to write to, instead of one in the run store; - for stdout")
	return speaks(cmd, g)
}

// completeRuns offers the directories of stored runs.
func completeRuns(g *globals) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		runs, _ := listRuns(cmd.Context(), g) // without a store there is nothing to offer
		dirs := each.Map(runs.rows, func(row []string) string { return row[1] })
		return dirs, cobra.ShellCompDirectiveDefault
	}
}

func (f *reportFlags) run(ctx context.Context, args []string) error {
	if f.again {
		if len(args) > 1 || f.to != "" {
			return errors.New("--replay plays one run again and writes nothing: leave the others and --to out")
		}
		return f.replay(ctx, args[0])
	}
	chosen, err := pickFormats(f.formats)
	switch {
	case err != nil:
		return err
	case f.to == "-" && f.json:
		return errors.New("--json and --to - would both write to stdout: leave one of them out")
	case f.to == "-" && len(chosen) != 1:
		return errors.New("--to - takes one --format")
	case len(args) > 1:
		return f.compare(ctx, args, chosen)
	}
	s, err := runstore.Read(ctx, args[0])
	if err != nil {
		return err
	}
	return f.one(s, chosen)
}

// one judges and renders one stored run.
func (f *reportFlags) one(s *runstore.Run, chosen []artifacts.Form) error {
	r := s.Result()
	b := bundle.Of(r, again(s, r), buildVersion())
	b.ScalePPM, _ = parseScale(s.Env.Scale) // 0 if the file is invalid
	b.RunDir, b.Logs = s.Dir, s.HasLogs()
	files, err := artifacts.Render(chosen, f.language, b)
	if err != nil {
		return bug(err)
	}
	dir, err := f.renderDir(s)
	if err != nil {
		return err
	}
	return f.put(files, dir, r.Status(), func() error {
		warnUnplayed(s)
		if f.json {
			return f.printed(export.Result(b))
		}
		fmt.Fprint(f.stdout, terminal.Report(b, f.terminal()))
		for _, p := range changes(s.Was, r) {
			fmt.Fprintln(f.stdout, f.named("changed", p))
		}
		_, err := fmt.Fprintln(f.stdout, f.named("wrote", wrote(files, dir)))
		return err
	})
}

// put prints rendered files, or writes them and calls show. Without --to, it updates the index of
// the store. It ends with the exit code of the worst run.
func (f *reportFlags) put(
	files []artifacts.File, dir string, worst run.Status, show func() error,
) error {
	if f.to == "-" {
		for i := range files {
			_ = files[i].CopyTo(f.stdout) // the screen reports errors
		}
		return statusExit(worst)
	}
	err := writeApart(dir, files)
	if err == nil && f.to == "" {
		err = writeIndex(f.out, f.language)
	}
	if err == nil {
		err = show()
	}
	return cmp.Or(err, statusExit(worst))
}

// renderDir is the directory for the files that are rendered again from a stored run.
func (f *reportFlags) renderDir(s *runstore.Run) (string, error) {
	if f.to != "" {
		return f.to, nil
	}
	dir, err := filepath.Abs(s.Dir) // it may be "."
	if err != nil {
		return "", environment(err)
	}
	return filepath.Join(f.out, runstore.AgainDir, s.Plan.Slug, filepath.Base(dir)), nil
}

func wrote(files []artifacts.File, dir string) say.Phrase {
	names := each.Map(files, func(file artifacts.File) say.Part { return say.Verbatim(file.Name) })
	return say.WroteIn.With(say.List(names), say.Verbatim(dir))
}

// changes lists the verdicts that have changed, sorted, and then the version of the properties if
// that has changed.
func changes(was *export.RunResult, r *run.Result) []say.Phrase {
	var out []say.Phrase
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, l := range was.Locks {
			for property, v := range l.Verdicts { // order: sorted below
				now := o.Judgement.Finding(property).Verdict
				if l.Lock == o.Lock && v.Verdict != now {
					out = append(out, say.VerdictWas.With(say.Verbatim(o.Lock), say.Property(property), say.Verdict(v.Verdict), say.Verdict(now)))
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b say.Phrase) int { return strings.Compare(a.English(), b.English()) })
	if v := was.Versions.Checker; v != checker.Version && v != 0 {
		out = append(out, say.VersionWas.With(say.Number(v), checker.Version))
	}
	return out
}

// maxCompared bounds the runs of a comparison: all of their histories are in memory.
const maxCompared = 20

func (f *reportFlags) compare(ctx context.Context, args []string, chosen []artifacts.Form) error {
	for _, form := range chosen {
		if !form.Compares() {
			return fmt.Errorf("a comparison of runs has no format %s: choose html or json, or name one run", form.Name)
		}
	}
	if len(args) > maxCompared {
		return fmt.Errorf("%d runs are too many: compare %d at once at most", len(args), maxCompared)
	}
	c, worst, err := f.comparison(ctx, args)
	if err != nil {
		return err
	}
	files, err := artifacts.Compare(chosen, c)
	if err != nil {
		return bug(err)
	}
	dir := f.comparisonDir()
	return f.put(files, dir, worst, func() error {
		if f.json {
			return f.printed(export.Comparison(c))
		}
		text := terminal.Comparison(c, f.terminal()) + f.named("wrote", wrote(files, dir))
		_, err := fmt.Fprintln(f.stdout, text)
		return err
	})
}

func (f *reportFlags) comparison(ctx context.Context, args []string) (*compare.Comparison, run.Status, error) {
	c := &compare.Comparison{Replay: "simulate report", Language: f.language}
	worst := run.NothingExpected
	for _, arg := range args {
		if err := ctx.Err(); err != nil {
			return nil, worst, errors.New("interrupted")
		}
		s, err := runstore.Read(ctx, arg)
		if err != nil {
			return nil, worst, err
		}
		warnUnplayed(s)
		r := s.Result()
		b := bundle.Of(r, again(s, r), buildVersion())
		b.RunDir = s.Dir
		worst = max(worst, r.Status())
		settings := each.Map(scenario.Settings(s.Plan), func(x scenario.Setting) compare.Setting { return compare.Setting(x) })
		c.Runs = append(c.Runs, compare.Run{Bundle: b, Dir: s.Dir, Href: f.hrefOf(s.Dir), Settings: settings})
		c.Replay += " " + shell.Word(s.Dir) // the resolved path of "latest"
	}
	return c, worst, nil
}

func (f *reportFlags) comparisonDir() string { return cmp.Or(f.to, f.out) }

// hrefOf is the address of a run's report, relative to the page of the comparison; "" if there is
// none.
func (f *reportFlags) hrefOf(dir string) string {
	report := reportPath(dir)
	if info, err := os.Stat(report); err != nil || !info.Mode().IsRegular() || f.to == "-" {
		return ""
	}
	way, err := relative(f.comparisonDir(), report)
	if err != nil {
		return ""
	}
	return page.Href(way)
}
