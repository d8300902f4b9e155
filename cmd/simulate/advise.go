package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	committed "lockstep/docs"
	"lockstep/internal/explore"
	"lockstep/internal/say"
)

// adviseFlags are the flags of the command advise.
type adviseFlags struct {
	*globals
	expect   []string
	language string
}

func adviseCommand(g *globals) *cobra.Command {
	f := &adviseFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "advise",
		Short: "Which lock stands what you have to expect?",
		Long: `Say which locks break when certain kinds of faults come about, and nothing else does.
The answer comes from the stored walk of the fault space (docs/explore.json, see
simulate explore): of each lock and each way of breaking, the smallest set of the
expected kinds that breaks it, or none. None means none of up to so many faults at
once within the scope of that walk. A kind that lasts long stands for its short form,
too. Without --expect it writes a page on which you tick them.

Kinds of faults:
` + kindsHelp(),
		Example: `  simulate advise --expect pause,fail-over
  simulate advise --expect crash,restart,lost-reply --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return f.advise() },
	}
	cmd.Flags().StringSliceVar(&f.expect, "expect", nil, "kinds of faults that can happen to you")
	pageLanguage(cmd, &f.language)
	return cmd
}

func (f *adviseFlags) advise() error {
	if len(f.expect) == 0 {
		path, err := f.explorePage(say.Language(f.language))
		if err == nil {
			fmt.Fprintf(f.stdout, "tick what can happen to you on the page %s, or name it here: --expect pause,fail-over\n", path)
		}
		return err
	}
	expected, err := explore.Expected(f.expect)
	if err != nil {
		return err
	}
	r, err := explore.ReadResult(committed.Explore)
	if err != nil {
		return &bugError{err}
	}
	all := r.Advise(expected, explore.Ways())
	if f.json {
		return printJSON(f.stdout, map[string]any{"schema": 1, "expected": expected, "locks": all})
	}
	f.print(all)
	return nil
}

// print shows the locks that stand it first, then what breaks the others.
func (f *adviseFlags) print(all []explore.Advice) {
	fmt.Fprintf(f.stdout, "%-25s", "lock")
	for _, way := range explore.Ways() {
		fmt.Fprintf(f.stdout, " %-12s", way)
	}
	fmt.Fprintln(f.stdout)
	for i := range all {
		a := &all[i]
		fmt.Fprintf(f.stdout, "%-25s", a.Lock)
		for _, way := range explore.Ways() {
			text := "breaks"
			switch s := a.Breaks[way.String()]; {
			case s == nil && a.Unknown > 0:
				text = "unknown"
			case s == nil:
				text = fmt.Sprintf("none up to %d", a.Complete)
			case len(s.Kinds) == 0:
				text = "always"
			case len(s.Kinds) > 1:
				text = fmt.Sprintf("breaks by %d", len(s.Kinds))
			}
			fmt.Fprintf(f.stdout, " %-12s", text)
		}
		fmt.Fprintln(f.stdout)
	}
	safe := 0
	for i := range all {
		if all[i].Safe(explore.Ways()) {
			safe++
		}
	}
	fmt.Fprintf(f.stdout, "\n%d of %d locks stand it; what the others need:\n", safe, len(all))
	for i := range all {
		for _, way := range explore.Ways()[:2] {
			if s := all[i].Breaks[way.String()]; s != nil && len(s.Kinds) > 0 {
				fmt.Fprintf(f.stdout, "%s: %s by %s\n  simulate run %s --lock %s\n", all[i].Lock, way, strings.Join(s.Kinds, " + "), s.Story, all[i].Lock)
				break
			}
		}
	}
}
