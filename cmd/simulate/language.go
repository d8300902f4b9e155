package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"lockstep/internal/chinese"
	"lockstep/internal/glossary"
	"lockstep/internal/runstore"
)

// pageLanguage gives a command the flag for the language of its pages. It does not
// follow the locale as the tour does: the same history gives the same page on every
// machine.
func pageLanguage(cmd *cobra.Command, lang *string) {
	cmd.Flags().StringVar(lang, "lang", string(glossary.English), "the language of the HTML report: en or zh")
	completeLanguage(cmd)
}

func completeLanguage(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(
		[]string{string(glossary.English), string(glossary.Chinese)}, cobra.ShellCompDirectiveNoFileComp))
}

// localise translates the pages among some files. What a scenario says stays in its
// own language.
func localise(files []runstore.File, language glossary.Language) error {
	if language != glossary.Chinese {
		return nil
	}
	for i := range files {
		if files[i].Name != "report.html" {
			continue
		}
		page, _, err := chinese.Page(files[i].Data)
		if err != nil {
			return fmt.Errorf("translating %s: %w", files[i].Name, err)
		}
		files[i].Data = page
	}
	return nil
}
