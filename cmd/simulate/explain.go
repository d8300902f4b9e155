package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/plan"
	"lockstep/internal/report/export"
	"lockstep/internal/report/terminal"
	"lockstep/internal/rundir"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
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
			if _, gone := rundir.Dangling(args[0]); gone || rundir.Is(args[0]) {
				if len(g.sets) > 0 {
					return fmt.Errorf("--set changes a scenario, and %s is a stored run, which stays as it is", args[0])
				}
				return explainRun(cmd.Context(), g, cmd.OutOrStdout(), args[0])
			}
			return explainScenario(cmd.Context(), g, cmd.OutOrStdout(), args[0])
		},
	}, g), g)
}

func explainScenario(ctx context.Context, g *globals, w io.Writer, arg string) error {
	plans, err := g.loadAll(ctx, []string{arg}, os.Stdin)
	if err != nil {
		return err
	}
	if g.json {
		return scenariosJSON(w, plans)
	}
	for i, p := range plans {
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		fmt.Fprint(w, terminalLines(scenario.ResolvedWithin(p, helpWidth-4)))
		if unsaid := notSpokenOf(p); len(unsaid) > 0 {
			fmt.Fprintf(w, "\n%s\n# expect: anything\n", say.NothingSaidOf.With(say.ListOf(unsaid)).In(g.language))
		}
	}
	return nil
}

// notSpokenOf are the locks of which a plan says nothing.
func notSpokenOf(p *plan.Plan) (unsaid []string) {
	for _, lock := range p.Locks {
		if _, ok := p.Said(lock); !ok {
			unsaid = append(unsaid, lock)
		}
	}
	return unsaid
}

// scenariosJSON prints scenarios as the same keys and values, in JSON.
func scenariosJSON(w io.Writer, plans []*plan.Plan) error {
	all := []json.RawMessage{}
	for _, p := range plans {
		data, err := yaml.YAMLToJSON([]byte(scenario.Resolved(p)))
		if err != nil {
			return &bugError{err}
		}
		all = append(all, data)
	}
	return printJSON(w, map[string]any{"schema": 1, "scenarios": all})
}

// explainRun judges the stored histories again and narrates each.
func explainRun(ctx context.Context, g *globals, w io.Writer, dir string) error {
	s, err := openRun(ctx, dir)
	if err != nil {
		return err
	}
	tellUnplayed(s)
	if g.json {
		data, err := export.Steps(s.Histories)
		if err != nil {
			return &bugError{err}
		}
		_, err = w.Write(data)
		return err
	}
	for i, h := range s.Histories {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, terminal.Narrate(checker.Judge(h), s.Plan, g.terminal()))
	}
	return nil
}
