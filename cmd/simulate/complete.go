package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/campaign/claims"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/matrix"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/locks"
	"lockstep/internal/logcheck/logline"
	"lockstep/internal/report/artifacts"
	"lockstep/internal/say"
)

// Completions follow from the names of commands and flags, so that a new command with the flag
// --lock completes locks.

func addCompletion(root *cobra.Command, g *globals) {
	lock := completeList(locks.Known, func(v locks.Variant) (string, string) { return v.ID, v.Doc(say.English).Idea })
	kind := completeList(faultkind.All, kindMeans)
	arguments := map[string]cobra.CompletionFunc{
		"run": completeScenarios, "search": completeScenarios, "sweep": completeScenarios, "explain": completeRunsAndScenarios(g),
		"explore": lock,
	}
	values := map[string]cobra.CompletionFunc{
		"lock":     lock,
		"fault":    completeList(matrix.Columns, func(c matrix.Column) (string, string) { return c.Code, c.Name.English() }),
		"claim":    completeList(claims.All, func(c claims.Claim) (string, string) { return fmt.Sprint(c.N), c.English }),
		"only":     kind,
		"profile":  completeList(explore.Profiles, profileMeans),
		"expect":   kind,
		"property": completeList(checker.All, func(p checker.Property) (string, string) { return p.ID, p.Summary.English() }),
		"format":   completeList(func() []artifacts.Form { return artifacts.All }, formatMeans),
		"backend":  words(backendNames()...),
		"lang":     words(string(say.English), string(say.Chinese)),
		// Of logs.
		"time-unit": words("s", "ms", "us", "ns"),
		"preset":    words(logline.Presets()...),
		"columns":   cobra.FixedCompletions([]string{"time=", "client=", "lock=", "event=", "token="}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace),
	}
	for _, cmd := range below(root) {
		if f := arguments[cmd.Name()]; f != nil {
			cmd.ValidArgsFunction = f
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			complete := values[f.Name]
			if complete == nil && f.Value.Type() != "string" && f.Value.Type() != "stringSlice" {
				complete = cobra.NoFileCompletions // a number
			}
			if complete != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // which is there
			}
		})
	}
}

// words completes one of a few words.
func words(all ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

func word(name, meaning string) string {
	if meaning == "" {
		return name
	}
	return cobra.CompletionWithDesc(name, terminalText(meaning))
}

func kindMeans(k faultkind.Kind) (name, meaning string)     { return k.Name, k.Summary.English() }
func profileMeans(w results.Profile) (name, meaning string) { return w.Name, w.Summary }

// completeList completes the last item of a list such as a,b. Completions include the items before
// it, since a shell replaces the whole word.
func completeList[T any](all func() []T, means func(T) (name, meaning string)) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		comma := strings.LastIndexByte(typed, ',') + 1
		before, last := typed[:comma], typed[comma:]
		chosen := strings.Split(before, ",")
		var out []string
		for _, one := range all() {
			name, meaning := means(one)
			switch {
			case last == "" && locks.Misprint(name): // only when asked for
			case len(name) < len(last) || !strings.EqualFold(name[:len(last)], last):
			case slices.ContainsFunc(chosen, func(have string) bool { return strings.EqualFold(have, name) }):
			default:
				out = append(out, before+word(name, meaning))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completeScenarios offers the names of scenarios; the shell adds files.
func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return scenarioWords(), cobra.ShellCompDirectiveDefault
}

func scenarioWords() []string {
	return each.Map(library(), func(file string) string { return word(scenarioName(file), titleOf(file)) })
}

// titleOf finds the title of a scenario file without parsing it, which would be slow.
func titleOf(file string) string {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // a pipe could block
		return ""
	}
	data, _ := readSource(file, titleWithin) // nothing without a title
	for line := range strings.Lines(string(data)) {
		if title, ok := strings.CutPrefix(line, "scenario:"); ok {
			return strings.TrimSpace(title)
		}
	}
	return ""
}

// titleWithin bounds the search for a title, in bytes.
const titleWithin = 2000

// completeRunsAndScenarios offers stored runs, newest first, and then scenarios.
func completeRunsAndScenarios(g *globals) cobra.CompletionFunc {
	runs := completeRuns(g)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		dirs, directive := runs(cmd, args, typed)
		return append(dirs, scenarioWords()...), directive
	}
}
