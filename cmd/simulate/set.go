package main

import (
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/plan"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// settable gives a command that reads scenarios the flag --set.
func settable(cmd *cobra.Command, g *globals) *cobra.Command {
	cmd.Flags().StringArrayVar(&g.sets, "set", nil, "change a value of the scenario: lease=30s, workload.work=5s..20s, faults.1.for=3s; several times for several")
	return cmd
}

// changes are what --set says.
func (g *globals) changes() (all []scenario.Change, err error) {
	for _, text := range g.sets {
		c, err := scenario.ParseChange(text)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// setWords say the changes of a plan again, on a command line.
func setWords(p *plan.Plan) (words []string) {
	for _, text := range p.Changes {
		key, value, _ := strings.Cut(text, "=")
		words = append(words, "--set", shell.Pair(key, value))
	}
	return words
}
