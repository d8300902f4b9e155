package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/explore"
	"lockstep/internal/say"
)

// adviseFlags are the flags of the command advise.
type adviseFlags struct {
	*globals
	expect []string
}

func adviseCommand(g *globals) *cobra.Command {
	f := &adviseFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "advise",
		Short: "Find the locks that survive what you expect",
		Long: `Say which locks break when only certain kinds of faults can happen. The answer comes
from the stored walk of the fault space (docs/explore.json, see simulate explore): for
each lock and each way to break, the smallest set of the expected kinds that breaks it,
or none. None means: no schedule of up to that many faults within the scope of that
walk. A long kind of fault includes its short form. Without --expect it writes a page on
which you tick them.

Kinds of faults:
` + kindsHelp(),
		Example: `  simulate advise --expect pause,fail-over  # which locks survive these two
  simulate advise --expect crash,restart,lost-reply --json  # for a script`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.advise(cmd.Context()) },
	}
	cmd.Flags().StringSliceVar(&f.expect, "expect", nil, "kinds of faults that can happen to you")
	return speaks(cmd, g)
}

func (f *adviseFlags) advise(ctx context.Context) error {
	if len(f.expect) == 0 {
		path, err := f.explorePage(ctx, f.language)
		switch {
		case err != nil:
			return err
		case f.json:
			return printJSON(f.stdout, map[string]any{"schema": 1, "page": path})
		}
		fmt.Fprintln(f.stdout, f.said(say.TickOnThePage.With(say.Verbatim(path))))
		return nil
	}
	expected, err := explore.Expected(f.expect)
	if err != nil {
		return err
	}
	r, err := storedWalk()
	if err != nil {
		return err
	}
	all := explore.Advise(r, expected, explore.Ways())
	if f.json {
		return printJSON(f.stdout, map[string]any{"schema": 1, "expected": expected, "locks": all})
	}
	f.print(all)
	return nil
}

// print shows the locks that survive first, then what breaks the others.
func (f *adviseFlags) print(all []explore.Advice) {
	ruler := say.RulerFor(f.language)
	row := func(name string, of func(explore.Way) say.Phrase) {
		fmt.Fprint(f.stdout, ruler.Pad(name, 25))
		for _, way := range explore.Ways() {
			fmt.Fprint(f.stdout, " ", ruler.Pad(of(way).In(f.language), 12))
		}
		fmt.Fprintln(f.stdout)
	}
	row(say.Text("lock").In(f.language), func(w explore.Way) say.Phrase { return say.Text(w.String()) })
	safe := 0
	for i := range all {
		row(all[i].Lock, all[i].Says)
		if all[i].Safe(explore.Ways()) && all[i].Unknown == 0 {
			safe++
		}
	}
	fmt.Fprintf(f.stdout, "\n%s\n", f.said(say.LocksSurvive.With(say.Number(safe), say.Number(len(all)))))
	for i := range all {
		for _, way := range explore.Ways()[:2] {
			if s := all[i].Breaks[way.String()]; s != nil && len(s.Kinds) > 0 {
				kinds := say.Verbatim(strings.Join(s.Kinds, " + "))
				fmt.Fprintf(f.stdout, "%s\n  simulate run %s --lock %s\n", f.said(say.BreaksBy.With(say.Verbatim(all[i].Lock), say.Text(way.String()), kinds)), s.Story, all[i].Lock)
				break
			}
		}
	}
}
