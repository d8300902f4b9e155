package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/schema"
)

func schemaCommand() *cobra.Command {
	var names []string
	var known strings.Builder
	for _, d := range schema.Documents() {
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
			chosen, err := pickSchema(args)
			if err != nil {
				return err
			}
			data, err := schema.JSON(chosen.Schema())
			if err != nil {
				return &bugError{err}
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
}

// pickSchema finds a schema by its name. Without one it is the first.
func pickSchema(args []string) (schema.Document, error) {
	all := schema.Documents()
	if len(args) == 0 {
		return all[0], nil
	}
	for _, d := range all {
		if d.Name == args[0] {
			return d, nil
		}
	}
	return schema.Document{}, fmt.Errorf("there is no schema %q: `simulate dev schema --help` lists them", args[0])
}
