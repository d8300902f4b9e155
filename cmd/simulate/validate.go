package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lockstep/internal/scenario"
)

// validate shows all problems of scenarios, for editors and CI, and plays nothing.
func (f *runFlags) validate(cmd *cobra.Command, args []string) error {
	plans, err := f.loadAll(cmd.Context(), args, os.Stdin)
	var invalid *scenario.Invalid
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	if f.json {
		return validateJSON(cmd, invalid)
	}
	if invalid != nil {
		return invalid
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d valid\n", len(plans))
	return err
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
