package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/checker"
	"lockstep/internal/claims"
	"lockstep/internal/explore"
	"lockstep/internal/locks"
	"lockstep/internal/matrix"
	"lockstep/internal/say"
)

// What can stand behind a command or a flag follows from its name, so that a new
// command with the flag --lock completes locks like all others.

// addCompletion teaches every command what its arguments and flags can be.
func addCompletion(root *cobra.Command, g *globals) {
	arguments := map[string]cobra.CompletionFunc{
		"run": completeScenarios, "search": completeScenarios, "sweep": completeScenarios, "explain": completeRunsAndScenarios(g),
		"explore": completeList(lockWords),
	}
	values := map[string]cobra.CompletionFunc{
		"lock":     completeList(lockWords),
		"fault":    completeList(columnWords),
		"claim":    completeList(claimWords),
		"only":     completeList(kindWords),
		"world":    completeList(worldWords),
		"expect":   completeList(kindWords),
		"property": completeList(propertyWords),
		"format":   completeList(formatWords),
		"backend":  cobra.FixedCompletions(backendNames(), cobra.ShellCompDirectiveNoFileComp),
	}
	for _, cmd := range below(root) {
		if f := arguments[cmd.Name()]; f != nil {
			cmd.ValidArgsFunction = f
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			complete := values[f.Name]
			if complete == nil && f.Value.Type() != "string" && f.Value.Type() != "stringSlice" {
				complete = cobra.NoFileCompletions // a number: no file can be meant
			}
			if complete != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // a command may have registered its own
			}
		})
	}
}

// word is something that can be typed, and what it means.
func word(name, meaning string) string {
	if meaning == "" {
		return name
	}
	return cobra.CompletionWithDesc(name, terminalText(meaning))
}

func kindWords() []string {
	var words []string
	for _, k := range explore.Kinds() {
		words = append(words, word(k.Name, k.Summary))
	}
	return words
}

func worldWords() []string {
	var words []string
	for _, w := range explore.BaseWorlds() {
		words = append(words, word(w.Name, w.Summary))
	}
	return words
}

func lockWords() []string {
	var words []string
	for _, v := range locks.Known() {
		words = append(words, word(v.ID, v.Doc(say.English).Idea))
	}
	return words
}

func columnWords() []string {
	var words []string
	for _, c := range matrix.Columns() {
		words = append(words, word(c.Code, c.Name.English))
	}
	return words
}

func propertyWords() []string {
	var words []string
	for _, p := range checker.All() {
		words = append(words, word(p.ID, p.Summary.English))
	}
	return words
}

func claimWords() []string {
	var words []string
	for _, c := range claims.All() {
		words = append(words, word(fmt.Sprint(c.N), c.Text.English))
	}
	return words
}

// completeList completes the last item of a list such as a,b; what stands before
// it is offered with it, since a shell replaces the whole word.
func completeList(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before, last := "", typed
		if i := strings.LastIndexByte(typed, ','); i >= 0 {
			before, last = typed[:i+1], typed[i+1:]
		}
		chosen := strings.Split(before, ",")
		var out []string
		for _, w := range words() {
			name, _, _ := strings.Cut(w, "\t")
			if last == "" && locks.Misprint(name) { // not in the first menu
				continue
			}
			if len(name) < len(last) || !strings.EqualFold(name[:len(last)], last) || contains(chosen, name) {
				continue
			}
			out = append(out, before+w)
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if strings.EqualFold(have, s) {
			return true
		}
	}
	return false
}

// completeScenarios offers the scenarios by their names; the shell adds files.
func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return scenarioWords(), cobra.ShellCompDirectiveDefault
}

func scenarioWords() []string {
	var words []string
	for _, file := range library() {
		words = append(words, word(scenarioName(file), titleOf(file)))
	}
	return words
}

// titleOf is the title of a scenario file without parsing all of it: somebody
// waits for the tabulator.
func titleOf(file string) string {
	data, ok := readBuiltIn(file)
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() { // a pipe would keep the shell waiting
		f, err := os.Open(file)
		if err != nil {
			return ""
		}
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, titleWithin))
		ok = err == nil
	}
	if !ok {
		return ""
	}
	for line := range strings.Lines(string(data[:min(len(data), titleWithin)])) {
		if title, ok := strings.CutPrefix(line, "scenario:"); ok {
			return strings.TrimSpace(title)
		}
	}
	return ""
}

// titleWithin is how far into a file its title is looked for, in bytes.
const titleWithin = 2000

// completeRunsAndScenarios offers past runs, newest first, and then scenarios.
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
