package main

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand returns all commands that people can see, with a fresh root each.
func everyCommand() []*cobra.Command {
	var all []*cobra.Command
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		all = append(all, cmd)
		for _, below := range cmd.Commands() {
			if below.IsAvailableCommand() || below.Name() == "help" {
				walk(below)
			}
		}
	}
	walk(rootCommand())
	return all
}

// TestHelpSaysWhatToType wants a sentence at the top of every help, then two or three lines to type, each of
// them a command line that exists, with a word on what it is for, and nothing too wide.
func TestHelpSaysWhatToType(t *testing.T) {
	for _, cmd := range everyCommand() {
		out, err := inProcess(append(strings.Fields(cmd.CommandPath())[1:], "--help")...)
		if err != nil {
			t.Fatalf("%s: %v", cmd.CommandPath(), err)
		}
		about, rest, _ := strings.Cut(out, "\nExamples:\n")
		if strings.TrimSpace(about) == "" || strings.Contains(about, "Usage:") {
			t.Errorf("the help of %s does not begin with what it does: %q", cmd.CommandPath(), about)
		}
		examples, _, _ := strings.Cut(rest, "\n\n")
		lines := strings.Split(examples, "\n")
		if len(lines) < 2 || len(lines) > 3 {
			t.Errorf("the help of %s has %d examples:\n%s", cmd.CommandPath(), len(lines), examples)
		}
		for _, line := range lines {
			checkExample(t, cmd, line)
		}
		for line := range strings.Lines(out) {
			if width := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width > helpWidth {
				t.Errorf("the help of %s has a line of %d columns: %s", cmd.CommandPath(), width, line)
			}
		}
	}
}

// checkExample finds the command of an example, with its flags and arguments.
func checkExample(t *testing.T, of *cobra.Command, line string) {
	t.Helper()
	_, command, ok := strings.Cut(line, "simulate ")
	if !ok || !strings.HasPrefix(line, "  ") {
		t.Errorf("the help of %s begins with %q, which is no example", of.CommandPath(), line)
		return
	}
	command, word, _ := strings.Cut(command, "  # ")
	if word == "" {
		t.Errorf("the help of %s does not say what %q is for", of.CommandPath(), line)
	}
	command, _, _ = strings.Cut(command, " > ")
	cmd, rest, err := rootCommand().Find(strings.Fields(strings.TrimRight(command, ")")))
	if err != nil {
		t.Errorf("example %q of %s: %v", line, of.CommandPath(), err)
		return
	}
	if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("example %q of %s: %v", line, of.CommandPath(), err)
		return
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		t.Errorf("example %q of %s: %v", line, of.CommandPath(), err)
	}
}

// TestEveryFlagHasHelp and a form that a mistake can be told with.
func TestEveryFlagHasHelp(t *testing.T) {
	for _, cmd := range everyCommand() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no help", cmd.CommandPath(), f.Name)
			}
			if strings.HasPrefix(formOf(f), "a "+f.Value.Type()) && f.Value.Type() != "string" && f.Value.Type() != "stringSlice" {
				t.Errorf("%s --%s: formOf does not know %s", cmd.CommandPath(), f.Name, f.Value.Type())
			}
		})
	}
}
