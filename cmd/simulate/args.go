package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/each"
	"lockstep/internal/report/artifacts"
	"lockstep/internal/say"
	"lockstep/internal/scenario"
	"lockstep/internal/shell"
)

// Errors of the command line name the offending word, the reason, and what to write instead.

// checkArguments replaces cobra's errors about the command line.
func checkArguments(root *cobra.Command, g *globals) {
	root.SetFlagErrorFunc(flagError)
	root.Args, root.RunE, root.DisableFlagsInUseLine = g.subcommand, showHelp, true
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range below(root) {
		cmd.Flags().VisitAll(refuseEmptyNames)
		switch cmd.Name() {
		case "completion":
			cmd.Args, cmd.RunE, cmd.DisableFlagsInUseLine = g.subcommand, showHelp, true
			cmd.Example = "  source <(simulate completion bash)  # in this shell\n  simulate completion zsh > \"${fpath[1]}/_simulate\"  # for good"
			for _, shell := range cmd.Commands() {
				shell.Args = noArguments
				shell.Example = "  simulate completion " + shell.Name() + "  # the script\n  simulate completion " + shell.Name() + " --no-descriptions  # names only"
			}
		case "help":
			cmd.Example = "  simulate help run    # of one command\n  simulate run --help  # the same"
			cmd.Run, cmd.RunE = nil, help
		}
	}
}

// below returns all commands below one, at any depth.
func below(cmd *cobra.Command) (out []*cobra.Command) {
	for _, c := range cmd.Commands() {
		out = append(append(out, c), below(c)...)
	}
	return out
}

// showHelp runs a command that only groups others.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// help is the command help, which fails for an unknown command.
func help(cmd *cobra.Command, words []string) error {
	about, rest, err := cmd.Root().Find(words)
	if err != nil || len(rest) > 0 {
		return fmt.Errorf("there is no help about %q: `simulate --help` lists the commands", strings.Join(words, " "))
	}
	about.InitDefaultHelpFlag()
	return about.Help()
}

// flagError suggests the flag that was probably meant, or describes the values of a flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), formOf(invalid.GetFlag()))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var known []string
		note := func(f *pflag.Flag) { known = append(known, f.Name) }
		cmd.Flags().VisitAll(note)
		cmd.InheritedFlags().VisitAll(note)
		if best := scenario.Nearest(unknown.GetSpecifiedName(), known); best != "" {
			return fmt.Errorf("%w: did you mean --%s?", err, best)
		}
	}
	return fmt.Errorf("%w; `%s --help` shows the flags", err, cmd.CommandPath())
}

// checkFlags checks the flags that several commands share.
func checkFlags(cmd *cobra.Command) error {
	if f := cmd.Flags().Lookup("out"); f != nil && f.Value.String() == "" {
		return errors.New("--out is empty: name a folder, or leave it out for reports")
	}
	for _, name := range []string{"lock-command", "expect"} { // a script with an unset variable would play less
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty: give it a value, or leave it out", name)
		}
	}
	if f := cmd.Flags().Lookup("jobs"); f != nil && strings.HasPrefix(f.Value.String(), "-") {
		return fmt.Errorf("--jobs %s: at least 1; leave it out for one for each core", f.Value)
	}
	return nil
}

// refuseEmptyNames makes list flags refuse empty names. Without it, "" is an empty list, and a
// script with an unset variable plays something other than intended. It also hides the number of
// cores from the help.
func refuseEmptyNames(f *pflag.Flag) {
	if f.Name == "jobs" && f.DefValue != "0" {
		f.DefValue = "one for each core" // help and docs are the same on every machine
	}
	if f.Value.Type() == "stringSlice" {
		f.Value = fullList{f.Value}
		if f.DefValue == "[]" {
			f.DefValue = "" // else the help would show it
		}
	}
}

type fullList struct{ pflag.Value }

// Set takes a part of the list.
func (l fullList) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(name) == "" {
			return errors.New("a name is empty")
		}
	}
	return l.Value.Set(text)
}

var forms = map[string]string{
	"bool":        "true or false: leave the value out",
	"uint64":      "a whole number from 0 to 18446744073709551615",
	"int":         "a whole number",
	"stringSlice": "a list of names without gaps, such as a,b: name one at least, or leave the flag out",
	"stringArray": "KEY=VALUE, such as lease=30s",
	"intSlice":    "a list of whole numbers, such as 1,2",
	"duration":    "a time with its unit, such as 90s or 2m",
}

func formOf(f *pflag.Flag) string { return cmp.Or(forms[f.Value.Type()], "a "+f.Value.Type()) }

// noArguments refuses arguments. Usually they come from a list with spaces after a flag.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments: leave %q out; `%s --help` shows the flags", nameOf(cmd), args[0], cmd.CommandPath())
}

func (g *globals) subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	for _, c := range below(cmd) {
		if c.Name() == args[0] {
			return fmt.Errorf("unknown command %q: did you mean `%s`?", args[0], c.CommandPath())
		}
	}
	if !cmd.HasParent() && scenario.Nearest(args[0], known) == "" {
		if _, err := g.scenarioFiles(cmd.Context(), args[0]); err == nil {
			return fmt.Errorf("%q is a scenario, not a command: did you mean simulate run %s?", args[0], shell.Word(args[0]))
		}
	}
	return unknownName("command", args[0], known)
}

// arguments checks the number of arguments; wanted describes them, with an example.
func arguments(least, most int, wanted string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s: missing argument: %s", nameOf(cmd), wanted)
		case len(args) > most:
			return fmt.Errorf("%q is one argument too many: %s takes %s", args[most], nameOf(cmd), wanted)
		}
		return nil
	}
}

// nameOf is the path of a command without the name of the program.
func nameOf(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "simulate ") }

// many is no limit on the number of arguments.
const many = 1 << 30

// oneOf demands one of these words as the only argument. A word may have a description after a tab.
func oneOf(command string, words []string) cobra.PositionalArgs {
	known := each.Map(words, func(word string) string { return strings.Split(word, "\t")[0] })
	return func(_ *cobra.Command, args []string) error {
		all := strings.Join(known, ", ")
		switch {
		case len(args) == 0:
			return errors.New("missing argument: one of " + all)
		case len(args) > 1:
			return fmt.Errorf("cannot %s several at once: leave %q out", command, args[1])
		case slices.Contains(known, args[0]):
			return nil
		}
		return fmt.Errorf("cannot %s %q: %s", command, args[0], scenario.DidYouMean(args[0], known, "name one of "+all))
	}
}

func unknownName(what, name string, known []string) error {
	return fmt.Errorf("unknown %s %q: %s", what, name, scenario.DidYouMean(name, known, "there are "+strings.Join(known, ", ")))
}

// helpWidth is the width of all help, in columns, in every terminal.
const helpWidth = 80

// helpTemplate describes a command, shows its examples and then its usage.
const helpTemplate = `{{prose (or (about .) .Short)}}
{{if .HasExample}}
Examples:
{{.Example}}
{{end}}
{{.UsageString}}`

func shapeHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("prose", prose)
	cobra.AddTemplateFunc("about", func(cmd *cobra.Command) string { return strings.TrimSuffix(cmd.Long, exitHelp) }) // they come last
	root.SetHelpTemplate(helpTemplate)
	usage := strings.NewReplacer( // the usual one, but the examples are above it
		"{{if .HasExample}}\n\nExamples:\n{{.Example}}{{end}}", "", ".FlagUsages", fmt.Sprint(".FlagUsagesWrapped ", helpWidth))
	root.SetUsageTemplate(usage.Replace(root.UsageTemplate()) + "{{if not .HasParent}}\n" + exitHelp + "\n{{end}}")
}

// prose rewraps the paragraphs of a text, and keeps indented lines.
func prose(long string) string {
	var out, paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, say.RulerFor(say.English).Wrap(strings.Join(paragraph, " "), helpWidth)...)
			paragraph = nil
		}
	}
	for _, line := range strings.Split(strings.ReplaceAll(strings.TrimSpace(long), "\t", "    "), "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}

// helpOf is a list of names and their meanings for the help.
func helpOf[T any](all []T, means func(T) (name, meaning string)) string {
	width := 0
	for _, one := range all {
		name, _ := means(one)
		width = max(width, len(name))
	}
	var lines []string
	for _, one := range all {
		name, meaning := means(one)
		for _, line := range say.RulerFor(say.English).Wrap(meaning, helpWidth-width-4) {
			lines = append(lines, fmt.Sprintf("  %-*s  %s", width, name, line))
			name = ""
		}
	}
	return strings.Join(lines, "\n")
}

func formatMeans(f artifacts.Form) (name, meaning string) { return f.Name, f.Summary }

func formatNames(all []artifacts.Form) []string {
	return each.Map(all, func(f artifacts.Form) string { return f.Name })
}

// moreFormats are the formats that a run directory has only on request.
func moreFormats() []string {
	return formatNames(slices.DeleteFunc(slices.Clone(artifacts.All), func(f artifacts.Form) bool { return f.Always }))
}

func pickFormats(names []string) ([]artifacts.Form, error) {
	return eachOrError(names, func(name string) (artifacts.Form, error) {
		form := each.Find(artifacts.All, func(f *artifacts.Form) bool { return f.Name == name })
		if form == nil {
			return artifacts.Form{}, unknownName("format", name, formatNames(artifacts.All))
		}
		return *form, nil
	})
}
