package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/history"
	"lockstep/internal/report"
	"lockstep/internal/scenario"
)

func explainCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "explain <run-dir|file|name>",
		Short: "Narrate a stored run step by step, or show a scenario with every default filled in",
		Example: `  simulate explain reports/latest
  simulate explain scenarios/lessons/pause-past-lease.yaml
  simulate explain pause-past-lease`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			stored := filepath.Join(args[0], "history.jsonl")
			if _, err := os.Stat(stored); err == nil {
				return explainRun(g, cmd.OutOrStdout(), stored)
			}
			return explainScenario(g, cmd.OutOrStdout(), args[0])
		},
	}
}

func explainScenario(g *globals, w io.Writer, arg string) error {
	plans, err := loadAll([]string{arg}, os.Stdin)
	if err != nil {
		return err
	}
	if g.json {
		return errors.New("explain of a scenario is YAML: leave --json away")
	}
	for i, p := range plans {
		if i > 0 {
			fmt.Fprintln(w, "---")
		}
		fmt.Fprint(w, terminalLines(scenario.Resolved(p)))
	}
	return nil
}

// explainRun judges the stored histories again and narrates each.
func explainRun(g *globals, w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return &environmentError{err}
	}
	defer f.Close()
	all, err := history.ReadAllJSONL(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i, h := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprint(w, report.Narrate(checker.Judge(h), report.TerminalOptions{Color: g.color(), Width: g.width()}))
	}
	return nil
}
