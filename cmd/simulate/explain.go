package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/plan"
	"lockstep/internal/report/export"
	"lockstep/internal/report/terminal"
	"lockstep/internal/run"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
	"lockstep/internal/sim"
)

func explainCommand(g *globals) *cobra.Command {
	return speaks(settable(&cobra.Command{
		Use:   "explain <run-dir|file|name>",
		Short: "Narrate a stored run, or show a scenario with all defaults",
		Example: `  simulate explain reports/latest    # the story of the newest run
  simulate explain pause-past-lease  # a scenario with its defaults
  simulate explain my.yaml --json    # for a script`,
		Args: arguments(1, 1, "one run directory or scenario, such as reports/latest or pause-past-lease"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, gone := runstore.Dangling(args[0]); gone || runstore.IsRun(args[0]) {
				if len(g.sets) > 0 {
					return fmt.Errorf("--set changes a scenario, and %s is a stored run, which is never changed", args[0])
				}
				return explainRun(cmd.Context(), g, args[0])
			}
			return explainScenario(cmd.Context(), g, args[0])
		},
	}, g), g)
}

func explainScenario(ctx context.Context, g *globals, arg string) error {
	plans, err := g.loadAll(ctx, []string{arg}, os.Stdin)
	if err != nil {
		return err
	}
	if g.json {
		all, err := eachOrError(plans, func(p *plan.Plan) (json.RawMessage, error) {
			return yaml.YAMLToJSON([]byte(scenario.Resolved(p)))
		})
		if err != nil {
			return bug(err)
		}
		return g.printJSON(map[string]any{"schema": 1, "scenarios": all})
	}
	for i, p := range plans {
		if i > 0 {
			fmt.Fprintln(g.stdout, "---")
		}
		fmt.Fprint(g.stdout, terminalLines(scenario.ResolvedWithin(p, helpWidth-4)))
		unsaid := slices.DeleteFunc(slices.Clone(p.Locks), func(lock string) bool { _, ok := p.ExpectationsFor(lock); return ok })
		if len(unsaid) > 0 {
			fmt.Fprintf(g.stdout, "\n%s\n# expect: anything\n", say.NothingSaidOf.With(say.ListOf(unsaid)).In(g.language))
		}
	}
	return nil
}

// explainRun judges the stored histories again and narrates each.
func explainRun(ctx context.Context, g *globals, dir string) error {
	s, err := runstore.Read(ctx, dir)
	if err != nil {
		return err
	}
	warnUnplayed(s)
	if g.json {
		return g.printed(export.Steps(s.Histories, s.Plan.Asked()...))
	}
	for i, h := range s.Histories {
		if i > 0 {
			fmt.Fprintln(g.stdout)
		}
		fmt.Fprint(g.stdout, terminal.Narrate(checker.Judge(h, s.Plan.Asked()...), s.Plan, g.terminal()))
	}
	return nil
}

// replay plays a stored run again and compares the histories.
func (f *reportFlags) replay(ctx context.Context, dir string) error {
	s, err := runstore.Read(ctx, dir)
	if err != nil {
		return err
	}
	header := &s.Histories[0].Header
	if own := s.Env.Own; own != nil {
		return fmt.Errorf("%s was played by the code of %s itself, in a test, and this program does not have it. Where the test is:\n  %s",
			s.Dir, terminalText(header.Lock), terminalText(own.Again))
	}
	if header.Backend != sim.Backend {
		return fmt.Errorf("%s was played on real servers (%s), and such a run cannot be repeated: the operating system decides what comes first.\n"+
			"Play its simulated twin instead: simulate run %s --seed %d",
			s.Dir, terminalText(header.Backend), shell.Word(filepath.Join(s.Dir, runstore.StoryName)), header.Seed)
	}
	var all []export.Replayed
	same := true
	for _, stored := range s.Histories {
		played, err := sim.Again(ctx, s.Plan, stored)
		switch {
		case ctx.Err() != nil:
			return errors.New("interrupted: the histories were not compared to their end")
		case err != nil:
			return fmt.Errorf("%s: %w", s.Dir, err)
		}
		r := export.CompareHistories(stored, played)
		same = same && r.Identical
		all = append(all, r)
	}
	if err := showReplay(f.globals, s, all, same); err != nil {
		return err
	}
	warnUnplayed(s)
	now := buildVersion()
	switch {
	case same && len(s.Unplayed()) == 0:
		return nil
	case same:
		return statusExit(run.Inconclusive)
	case s.Env.Version != now || s.Env.ScenarioSHA256 == "": // without it, the scenario may be another one
		was := cmp.Or(s.Env.Version, "unknown")
		warn("the run was played by version %s of this program, and this is %s: the difference may be "+
			"on purpose. Play it with that version to know", was, now)
		return statusExit(run.Inconclusive)
	}
	return bug(errors.New("the same scenario, lock and seed gave another history (unless the program was changed without changing its version)"))
}

func showReplay(g *globals, s *runstore.Run, all []export.Replayed, same bool) error {
	if g.json {
		return g.printJSON(map[string]any{"schema": 1, "identical": same, "run_dir": s.Dir, "locks": all})
	}
	fmt.Fprintf(g.stdout, "%s\n\n", g.said(say.Series{say.Verbatim(s.Plan.Prose(g.language).Name), say.SeedIs.With(say.Seed(s.Histories[0].Header.Seed))}))
	var rows [][]string
	for i := range all {
		r := &all[i]
		verdict := say.Text("identical")
		if !r.Identical {
			verdict = say.DifferentFrom.With(say.Number(r.First.Index))
			if r.First.Index < 0 {
				verdict = say.Text("DIFFERENT headers")
			}
		}
		rows = append(rows, []string{r.Lock, verdict.In(g.language), fmt.Sprint(r.Events), r.Stored[:16]})
	}
	g.printTable([]string{"lock", "history", "events", "hash"}, rows)
	for i := range all {
		r := &all[i]
		if f := r.First; f != nil {
			what := say.Clauses(each.Map(f.Fields, say.Text))
			fmt.Fprintf(g.stdout, "\n%s\n", g.said(say.DiffersIn.With(say.Verbatim(r.Lock), what)))
			if f.Index >= 0 {
				ended := say.Text("(the history has ended)").In(g.language)
				fmt.Fprintf(g.stdout, "  %s  %s\n", say.Text("stored").In(g.language), terminalText(cmp.Or(f.Stored, ended)))
				fmt.Fprintf(g.stdout, "  %s  %s\n", say.Text("played").In(g.language), terminalText(cmp.Or(f.Played, ended)))
			}
		}
	}
	return nil
}

// again is the command line that plays the run again. It will be pasted into a shell, so all texts
// from files are quoted.
func again(s *runstore.Run, r *run.Result) string {
	if own := s.Env.Own; own != nil {
		return terminalText(own.Again)
	}
	f := &runFlags{locks: s.Env.Locks, backend: shell.Word(r.Backend), scale: shell.Word(s.Env.Scale)}
	return f.replay(s.Plan, f.oneLock(s.Plan), r.Seed)
}

// warnUnplayed names on stderr the locks that an interrupted run did not reach.
func warnUnplayed(s *runstore.Run) {
	if left := s.Unplayed(); len(left) > 0 {
		warn("%s was interrupted before it reached %s", s.Dir, runstore.LockList(left))
	}
}

// statusExit ends a command that has judged runs.
func statusExit(worst run.Status) error {
	codes := map[run.Status]int{run.Missed: exitMissed, run.Inconclusive: exitInconclusive, run.Failed: exitBug}
	if code, ok := codes[worst]; ok {
		return silent(code)
	}
	return nil
}
