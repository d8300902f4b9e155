package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lockstep/internal/scenario"
)

func validateCommand(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "validate <file>...",
		Short: "Show all problems of scenario files, for editors and CI",
		Example: `  simulate validate scenarios        # a folder
  simulate validate my.yaml --json   # for an editor
  cat my.yaml | simulate validate -  # from stdin`,
		Args: arguments(1, many, "files or folders, such as my.yaml; - for stdin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			plans, err := g.loadAll(cmd.Context(), args, os.Stdin)
			var invalid *scenario.Invalid
			if err != nil && !errors.As(err, &invalid) {
				return err
			}
			if g.json {
				return validateJSON(cmd, invalid)
			}
			if invalid != nil {
				return invalid
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d valid\n", len(plans))
			return err
		},
	}
}

func validateJSON(cmd *cobra.Command, invalid *scenario.Invalid) error {
	type problem struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
	}
	problems := []problem{}
	if invalid != nil {
		for _, p := range invalid.Problems {
			problems = append(problems, problem{p.File, p.Line, p.Col, p.Message})
		}
	}
	err := printJSON(cmd.OutOrStdout(), map[string]any{"schema": 1, "valid": invalid == nil, "problems": problems})
	if err == nil && invalid != nil {
		return &silentExit{code: exitUsage}
	}
	return err
}
