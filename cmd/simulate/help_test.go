package main

import (
	"cmp"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lockstep/internal/must"
	"lockstep/internal/tour"
)

// everyCommand returns all visible commands.
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

// Every help begins with a sentence, then has two or three valid command lines, each with its
// purpose, and no line is too wide.
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

// checkExample checks an example of a help.
func checkExample(t *testing.T, of *cobra.Command, line string) {
	t.Helper()
	_, command, ok := strings.Cut(line, "simulate ")
	command, purpose, _ := strings.Cut(command, "  # ")
	if !ok || !strings.HasPrefix(line, "  ") || purpose == "" {
		t.Errorf("%q in the help of %s is no example, or has no purpose", line, of.CommandPath())
	}
	command, _, _ = strings.Cut(command, " > ")
	if err := checkArgs(strings.Fields(strings.TrimRight(command, ")"))); err != nil {
		t.Errorf("example %q of %s: %v", line, of.CommandPath(), err)
	}
}

// checkArgs returns what is wrong with the arguments of a command line, or nil.
func checkArgs(words []string) error {
	cmd, rest, err := rootCommand().Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// The README's command lines: on lines of their own, where the purpose follows three blanks, in
// recipes and in sentences.
var readmeCommand = regexp.MustCompile("(?m)(?:^ {4,}|&& )(?:bin/|go run ./cmd/)?simulate (.*?)(?:$| {3})|`simulate (.*?)`")

func TestCommandsOfTheReadme(t *testing.T) {
	data := must.Get(os.ReadFile("../../README.md"))(t)
	found := readmeCommand.FindAllStringSubmatch(string(data), -1)
	if len(found) < 25 {
		t.Fatalf("only %d commands found", len(found))
	}
	for _, m := range found {
		if err := checkArgs(strings.Fields(m[1] + m[2])); err != nil {
			t.Errorf("simulate %s: %v", m[1]+m[2], err)
		}
	}
}

// The last lesson of the tour tells learners what to type for a lock of their own.
func TestTheLearnersOwnCommandsExist(t *testing.T) {
	lessons := must.Get(tour.Lessons())(t)
	own := lessons[len(lessons)-1].Own
	if len(own) == 0 {
		t.Error("the tour does not end with the learner's own lock")
	}
	for _, step := range own {
		words, err := splitWords(step.Command)
		if err == nil && (len(words) < 2 || words[0] != "simulate") {
			err = errors.New("it is no command of this program")
		}
		if err = cmp.Or(err, checkArgs(words[min(1, len(words)):])); err != nil {
			t.Errorf("%q: %v", step.Command, err)
		}
	}
}

// Every flag has a help text, and its type a name for error messages.
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
