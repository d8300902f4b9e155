package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/schema"
)

func schemaCommand(g *globals) *cobra.Command {
	var names []string
	var known strings.Builder
	all := schema.Documents()
	for _, d := range all {
		names = append(names, d.Name)
		fmt.Fprintf(&known, "  %-9s %s\n", d.Name, d.Summary)
	}
	return &cobra.Command{
		Use:   "schema [" + strings.Join(names, "|") + "]",
		Short: "Print the JSON Schema of scenario files, or of results",
		Long: `Print a JSON Schema, that of scenario files unless another one is named:

` + known.String() + `
With the first one, editors complete keys, locks, faults and moments, explain them, and
mark mistakes. An editor with a YAML language server finds it by the first
line of a scenario, relative to the file:

  # yaml-language-server: $schema=../../schema/scenario.schema.json

Mistakes that only the whole file shows are left to simulate run --dry-run.`,
		Example: `  simulate dev schema > schema/scenario.schema.json  # for an editor
  simulate dev schema result                         # what --json prints`,
		Args:      arguments(0, 1, "one schema: "+strings.Join(names, " or ")),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := all[0]
			if len(args) > 0 {
				at := slices.Index(names, args[0])
				if at < 0 {
					return fmt.Errorf("there is no schema %q: `simulate dev schema --help` lists them", args[0])
				}
				chosen = all[at]
			}
			return g.printed(schema.JSON(chosen.Schema()))
		},
	}
}
