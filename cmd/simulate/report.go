package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/report/bundle"
	"lockstep/internal/report/export"
	"lockstep/internal/report/forms"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/rundir"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
)

// reportFlags are the flags of `simulate report`.
type reportFlags struct {
	*globals
	formats []string
	to      string
	again   bool // play the run again
}

func reportCommand(g *globals) *cobra.Command {
	f := &reportFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "report <run-dir>...",
		Short: "Judge and render stored runs again",
		Long: `Judge and render stored runs again, from history.jsonl and scenario.yaml alone. Verdicts
that differ from the stored result are named: the checkers may have learned something
since. A stored run stays as it is: what is drawn again goes to again/<scenario>/<run>
in the run store.

Two or more runs are compared: other seeds, locks, worlds, versions of a scenario.
The comparison goes to comparison.html in the run store, and the runs stay as they
are; what makes them hard to compare comes first.

With --replay, a run is played again, with its resolved scenario, its seed and its locks,
and the histories are compared: they are identical, byte for byte, or the first
difference is shown. A difference is a bug only if this very version played the run;
otherwise it gives exit code 3. Runs on real servers cannot be repeated.

Formats (of a comparison: html and json):
` + formatList() + "\n" + exitHint,
		Example: `  simulate report reports/pause-past-lease/*         # side by side
  simulate report reports/latest --format junit,md   # for CI
  simulate report reports/latest --replay            # the same bytes?`,
		Args:              arguments(1, many, "run directories, such as reports/latest"),
		ValidArgsFunction: completeRuns(g),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), args)
		},
	}
	cmd.Flags().StringSliceVar(&f.formats, "format", formatNames(forms.With(nil)), "what to write")
	cmd.Flags().BoolVar(&f.again, "replay", false, "play a run again, and compare the histories")
	cmd.Flags().StringVar(&f.to, "to", "", "the directory to write to, instead of one in the run store; - for stdout")
	return speaks(cmd, g)
}

// completeRuns offers the directories of past runs.
func completeRuns(g *globals) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var dirs []string
		runs, _ := listRuns(g.out) // there is nothing to offer then
		for _, row := range runs.rows {
			dirs = append(dirs, row[1])
		}
		return dirs, cobra.ShellCompDirectiveDefault
	}
}

func (f *reportFlags) run(ctx context.Context, w io.Writer, args []string) error {
	if f.again {
		if len(args) > 1 || f.to != "" {
			return errors.New("--replay plays one run again and writes nothing: leave the others and --to out")
		}
		return f.replay(ctx, w, args[0])
	}
	if len(args) > 1 {
		return f.compare(ctx, w, args)
	}
	chosen, err := pickFormats(f.formats)
	switch {
	case err != nil:
		return err
	case f.to == "-" && f.json:
		return errors.New("--json and --to - would both write to stdout: leave one of them out")
	case f.to == "-" && len(chosen) != 1:
		return errors.New("--to - takes one --format")
	}
	out := &output{f: &runFlags{globals: f.globals}, met: true}
	s, err := openRun(ctx, args[0])
	if err != nil {
		return err
	}
	status, err := f.one(w, s, chosen, out)
	if err != nil {
		return err
	}
	if err := out.finish(); err != nil {
		return err
	}
	return statusExit(status)
}

// one judges and renders one stored run.
func (f *reportFlags) one(w io.Writer, s *rundir.Run, chosen []forms.Form, out *output) (run.Status, error) {
	r := s.Result()
	b := bundle.Of(r, again(s, r), buildVersion())
	b.ScalePPM, _ = parseScale(s.Env.Scale) // 0 where the file says nonsense
	b.RunDir, b.Logs = s.Dir, s.HasLogs()
	files, err := forms.Render(chosen, f.language, b)
	if err != nil {
		return run.Failed, &bugError{err}
	}
	if f.to == "-" {
		return r.Status(), toStdout(w, files)
	}
	dir, err := f.anew(s)
	if err != nil {
		return run.Failed, err
	}
	if err := writeApart(dir, files); err != nil {
		return run.Failed, err
	}
	if f.to == "" { // what lies elsewhere is in no store of ours
		if err := writeIndex(f.out, f.language); err != nil {
			return run.Failed, err
		}
	}
	tellUnplayed(s)
	out.met = out.met && r.Status().Good()
	if f.json {
		data, err := export.Result(b)
		out.objects = append(out.objects, data)
		return r.Status(), err
	}
	fmt.Fprint(w, terminal.Report(b, f.terminal()))
	for _, p := range changes(s.Was, r) {
		fmt.Fprintln(w, f.named("changed", p))
	}
	_, err = fmt.Fprintln(w, f.named("wrote", wrote(files, dir)))
	return r.Status(), err
}

// anew is where the files go that are made of a run once more.
func (f *reportFlags) anew(s *rundir.Run) (string, error) {
	if f.to != "" {
		return f.to, nil
	}
	dir, err := filepath.Abs(s.Dir) // it may be "."
	if err != nil {
		return "", &environmentError{err}
	}
	return filepath.Join(f.out, runstore.AgainDir, s.Plan.Slug, filepath.Base(dir)), nil
}

// wrote says which files were written.
func wrote(files []runstore.File, dir string) say.Phrase {
	var names say.List
	for _, file := range files {
		names = append(names, say.Verbatim(file.Name))
	}
	return say.WroteIn.With(names, say.Verbatim(dir))
}

func toStdout(w io.Writer, files []runstore.File) error {
	for i := range files {
		if err := files[i].CopyTo(w); err != nil {
			return err // the screen tells it
		}
	}
	return nil
}

// changes lists the verdicts that are not what they were, sorted, and last the version
// of the properties if it is another one.
func changes(was *runstore.Summary, r *run.Result) []say.Phrase {
	var out []say.Phrase
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		for _, l := range was.Locks {
			for property, v := range l.Verdicts { // order: sorted below
				now := string(o.Judgement.Finding(property).Verdict)
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
