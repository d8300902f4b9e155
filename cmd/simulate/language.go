package main

import (
	"github.com/spf13/cobra"

	"lockstep/internal/say"
)

// speaks gives a command the flag for its language. It does not follow the locale as the
// tour does: the same history gives the same page on every machine. What a mistake of the
// user or of the machine is, is said in English.
func speaks(cmd *cobra.Command, g *globals) *cobra.Command {
	lang := cmd.Flags().String("lang", string(say.English), "the language of the output: en or zh")
	completeLanguage(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		g.language, err = languageOf(*lang)
		return err
	}
	return cmd
}

// said is a phrase on one line of the terminal.
func (g *globals) said(p say.Part) string { return terminalText(p.In(g.language)) }

// named is a line that begins with a name: report, wrote.
func (g *globals) named(name string, p say.Part) string {
	return say.RulerFor(g.language).Pad(say.Text(name).In(g.language), 9) + g.said(p)
}

func completeLanguage(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(
		[]string{string(say.English), string(say.Chinese)}, cobra.ShellCompDirectiveNoFileComp))
}
