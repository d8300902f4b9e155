package main

import (
	"github.com/spf13/cobra"

	"lockstep/internal/say"
)

// pageLanguage gives a command the flag for the language of its pages. It does not
// follow the locale as the tour does: the same history gives the same page on every
// machine.
func pageLanguage(cmd *cobra.Command, lang *string) {
	cmd.Flags().StringVar(lang, "lang", string(say.English), "the language of the HTML report: en or zh")
	completeLanguage(cmd)
}

func completeLanguage(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(
		[]string{string(say.English), string(say.Chinese)}, cobra.ShellCompDirectiveNoFileComp))
}
