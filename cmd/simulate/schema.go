package main

import (
	"github.com/spf13/cobra"

	"lockstep/internal/schema"
)

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Print the JSON Schema of scenario files, for editors: it completes keys, locks,
faults and moments, explains them, and marks what cannot be. An editor with a YAML
language server finds it by the first line of a scenario, relative to the file:

  # yaml-language-server: $schema=../../schema/scenario.schema.json

What needs the whole file to be seen is left to the command validate.`,
		Example: "  simulate schema\n  simulate schema > schema/scenario.schema.json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			data, err := schema.JSON()
			if err != nil {
				return &bugError{err}
			}
			_, err = cmd.OutOrStdout().Write(data)
			return err
		},
	}
}
