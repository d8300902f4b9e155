package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/checker"
	"lockstep/internal/say"
	"lockstep/internal/tour"
)

type tourFlags struct {
	*globals
	lang string
	seed uint64
}

// tourWidth bounds the width of a page in columns: longer lines are hard to read.
const tourWidth = 80

func tourCommand(g *globals) *cobra.Command {
	f := &tourFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "tour [lesson]",
		Short: "Learn how locks break, lesson by lesson",
		Long: `Learn how locks break, lesson by lesson, from SETNX to fencing. Each lesson
tells a story, asks what you expect, plays the story in the simulator, shows its steps,
and changes one thing. Nothing but this program is needed, and nothing is stored.

Without a lesson: the list, and then the first one. At a terminal, Enter goes on, a
number answers, b goes back and q quits. Without a terminal everything is printed.`,
		Example: `  simulate tour                  # the list, and the first lesson
  simulate tour 4                # the fourth
  simulate tour fence --lang zh  # in Chinese`,
		Args: arguments(0, 1, "one lesson, such as 4 or fence"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			lessons, _ := tour.Lessons() // on an error there is nothing to complete
			return tour.Names(lessons), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.take(cmd, args) },
	}
	cmd.Flags().StringVar(&f.lang, "lang", "", "the language: en or zh (default: zh where the locale is Chinese, else en)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "the seed of all runs")
	return cmd
}

func (f *tourFlags) take(cmd *cobra.Command, args []string) error {
	language, err := languageOf(f.lang)
	if err != nil {
		return err
	}
	lessons, err := tour.Lessons()
	if err != nil {
		return bug(err)
	}
	var from *tour.Lesson
	if len(args) > 0 {
		if from = tour.Find(lessons, args[0]); from == nil {
			return unknownLesson(args[0], lessons)
		}
	}
	if f.json {
		return f.takeJSON(cmd, lessons, from)
	}
	err = tour.Take(cmd.Context(), lessons, from, tour.Options{
		Language: language, Seed: f.seed, Width: min(f.width(), tourWidth), Color: f.color(), Quiet: f.quiet,
		Interactive: interactive(),
		In:          os.Stdin, Out: cmd.OutOrStdout(),
	})
	if cmd.Context().Err() != nil {
		fmt.Fprintln(cmd.OutOrStdout()) // after the prompt
		return silent(exitInterrupted)
	}
	return err
}

// languageOf parses --lang; without it, the locale decides, by the precedence of POSIX.
func languageOf(flag string) (say.Language, error) {
	known := []string{string(say.English), string(say.Chinese)}
	if flag != "" {
		if !slices.Contains(known, flag) {
			return "", fmt.Errorf("unknown language %q: choose %s", flag, strings.Join(known, " or "))
		}
		return say.Language(flag), nil
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := os.Getenv(name); locale != "" {
			if strings.HasPrefix(strings.ToLower(locale), "zh") {
				return say.Chinese, nil
			}
			break
		}
	}
	return say.English, nil
}

func unknownLesson(word string, lessons []*tour.Lesson) error {
	if strings.Trim(word, "0123456789") == "" {
		return fmt.Errorf("there is no lesson %s: they are numbered from 1 to %d", word, len(lessons))
	}
	return unknownName("lesson", word, tour.Names(lessons))
}

// takeJSON plays the lessons and prints the results without the texts.
func (f *tourFlags) takeJSON(cmd *cobra.Command, lessons []*tour.Lesson, from *tour.Lesson) error {
	if from != nil {
		lessons = []*tour.Lesson{from}
	}
	type played struct {
		Scenario string                     `json:"scenario"`
		Lock     string                     `json:"lock"`
		Changed  bool                       `json:"changed"` // the lesson changes something besides the lock
		Verdicts map[string]checker.Verdict `json:"verdicts"`
		Letter   checker.Letter             `json:"letter"`
		Hash     string                     `json:"hash"`
	}
	type item struct {
		N     int      `json:"n"`
		Name  string   `json:"name"`
		Title string   `json:"title"`
		Runs  []played `json:"runs"`
	}
	var all []item
	for _, l := range lessons {
		it := item{N: l.Number, Name: l.Name, Title: l.Title.In(say.English)}
		for _, r := range []*tour.Run{&l.Run, &l.Switch.Run} {
			p, err := tour.Play(cmd.Context(), r, f.seed)
			if err != nil {
				return err
			}
			one := played{
				Scenario: r.Scenario, Lock: r.Lock, Changed: r.Changed(), Verdicts: map[string]checker.Verdict{},
				Letter: p.Judgement.Letter, Hash: p.Judgement.History.Hash().String(),
			}
			for _, finding := range p.Judgement.Findings {
				one.Verdicts[finding.Property] = finding.Verdict
			}
			it.Runs = append(it.Runs, one)
		}
		all = append(all, it)
	}
	return f.printJSON(map[string]any{"schema": 1, "seed": f.seed, "lessons": all})
}
