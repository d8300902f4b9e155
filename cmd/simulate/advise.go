package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/advice"
	"lockstep/internal/explore"
	"lockstep/internal/measured"
	"lockstep/internal/say"
)

// adviseFlags are the flags of the command advise.
type adviseFlags struct {
	*globals
	expect, mustNot, stores []string
	question                advice.Question
}

func adviseCommand(g *globals) *cobra.Command {
	f := &adviseFlags{globals: g}
	cmd := &cobra.Command{
		Use:   "advise",
		Short: "Find the locks that survive what you expect",
		Long: `Answer three questions, and read which lock to use: what you have, what happens if two
work at once, and what the lock protects: whether that can refuse an old token. In a terminal
they are asked; --have, --if-two and --tokens answer them. The answer is one sentence of
advice with its reason and its price, then what happens where nothing checks tokens, the
runner-up, what was searched and what was not, and the story of what you would meet. When
no lock survives, it says so, and what would.

Or say exactly what can happen, with --expect: which locks break when only certain kinds of
faults can happen. Both come from the stored walk of the fault space
(measurements/explore.json.gz, see simulate explore): for each lock and each way to break,
the smallest set of the expected kinds that breaks it, or none. A long kind of fault
includes its short form. Without a terminal and without flags it writes a page
that asks all this.

Below each lock that nothing expected breaks stands what that rests on: the worlds in
which all pairs of faults were searched, those in which some were drawn, and those in
which none were. It survives only if all were in plain and just-within. The misprints of the
course (docs/course.md) are no candidates.

With fencing tokens, it does no harm that two believe they hold the lock:
--must-not damage,robbed,stuck.

What you can have: ` + strings.Join(advice.IDs(advice.Haves()), ", ") + `
What the lock can protect: ` + strings.Join(advice.IDs(advice.Tokens()), ", ") + `

Kinds of faults:
` + kindsHelp(),
		Example: `  simulate advise --have etcd --if-two damage --tokens yes  # their answers
  simulate advise --expect pause,fail-over  # which locks survive these two
  simulate advise --expect crash,restart,lost-reply --json  # for a script`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			exact := cmd.Flags().Changed("expect") || cmd.Flags().Changed("must-not") || cmd.Flags().Changed("store")
			asked := f.question != advice.Question{}
			switch {
			case exact && asked:
				return errors.New("--have, --if-two and --tokens answer questions, --expect, --must-not and --store say exactly: choose one")
			case asked || !exact && !f.json && interactive():
				return f.answer(cmd.Context())
			}
			return f.advise(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&f.question.Have, "have", "", "what you have: redis, etcd, mysql, ... (all above)")
	cmd.Flags().StringVar(&f.question.IfTwo, "if-two", "", "what happens if two work at once: nothing, duplicate or damage")
	cmd.Flags().StringVar(&f.question.Tokens, "tokens", "", "what the lock protects, or whether that can refuse an old token: sql, payments, ..., yes or no")
	cmd.Flags().StringSliceVar(&f.expect, "expect", nil, "kinds of faults that can happen to you")
	cmd.Flags().StringSliceVar(&f.mustNot, "must-not", wayNames(), "what must not happen")
	cmd.Flags().StringSliceVar(&f.stores, "store", nil, "only locks of these stores, such as redis (default: all)")
	return speaks(cmd, g)
}

func wayNames() (names []string) {
	for _, way := range explore.Ways() {
		names = append(names, way.String())
	}
	return names
}

func (f *adviseFlags) advise(ctx context.Context) error {
	expected, err := explore.Expected(f.expect)
	if err != nil {
		return err
	}
	of, err := explore.WaysNamed(f.mustNot)
	if err != nil {
		return err
	}
	if len(of) == 0 {
		return errors.New("--must-not says nothing: name one way of breaking at least")
	}
	read := storedWalk
	if f.json {
		read = toldWalk
	}
	r, err := read()
	if err != nil {
		return err
	}
	if f.stores != nil {
		if r, err = explore.OfStores(r, f.stores); err != nil {
			return err
		}
	}
	if len(f.expect) == 0 {
		return f.page(ctx)
	}
	designs, misprints := r.Apart()
	all := explore.Advise(designs, expected, of)
	if f.json {
		return printJSON(f.stdout, map[string]any{
			"schema": 1, "expected": expected, "must_not": f.mustNot, "stores": f.stores, "locks": all,
			"misprints": explore.Advise(misprints, expected, of),
		})
	}
	f.print(all, misprints, of)
	return nil
}

// page writes the page that asks.
func (f *adviseFlags) page(ctx context.Context) error {
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

// print shows the locks that survive first, with what that rests on, then what breaks the others.
func (f *adviseFlags) print(all []explore.Advice, misprints *measured.Explored, of []explore.Way) {
	ruler := say.RulerFor(f.language)
	row := func(name string, says func(explore.Way) (string, say.Phrase)) {
		fmt.Fprint(f.stdout, ruler.Pad(name, 25))
		for _, way := range of {
			verdict, what := says(way)
			fmt.Fprint(f.stdout, " ", f.paint(verdict, ruler.Pad(what.In(f.language), 12)))
		}
		fmt.Fprintln(f.stdout)
	}
	row(say.Text("lock").In(f.language), func(w explore.Way) (string, say.Phrase) { return "", say.Text(w.String()) })
	count := map[string]int{}
	for i := range all {
		a := &all[i]
		count[a.Verdict]++
		row(a.Lock, func(w explore.Way) (string, say.Phrase) { return a.In(w), a.Says(w) })
		if a.Verdict == measured.Broken {
			continue
		}
		var rests say.List
		for _, r := range a.Rests {
			rests = append(rests, r.Says)
		}
		for _, line := range ruler.Wrap(f.said(say.RestsOn.With(say.Text(a.Verdict), rests)), f.width()-4) {
			fmt.Fprintf(f.stdout, "    %s\n", f.paint(a.Verdict, line))
		}
	}
	tell := func(text say.Phrase) {
		for _, line := range ruler.Wrap(f.said(text), f.width()) {
			fmt.Fprintln(f.stdout, line)
		}
	}
	fmt.Fprintln(f.stdout)
	most := 0
	for i := range all {
		most = max(most, all[i].Complete)
	}
	var ways say.Remarks
	for _, way := range of {
		ways = append(ways, say.WayIs.With(say.Text(way.String()), say.Text(meansOf[way])))
	}
	tell(say.WaysAre.With(ways))
	tell(say.LocksSurvive.With(say.Number(count[measured.Survived]), say.Number(len(all)), say.NoneUpTo.With(say.Number(most)), say.Number(count[measured.NoneFound])))
	tell(say.DrawnMeans.With())
	for i := range all {
		f.why(&all[i], of)
	}
	var names say.Names
	for i := range misprints.Locks {
		names = append(names, misprints.Locks[i].Lock)
	}
	if names != nil {
		fmt.Fprintln(f.stdout)
		tell(say.NoCandidates.With(say.Number(len(names)), names))
	}
}

// meansOf are the ways of breaking in words.
var meansOf = map[explore.Way]string{
	explore.Believe: "two clients think they hold it", explore.Damage: "the resource is damaged",
	explore.Robbed: "someone's lock is released by another", explore.Stuck: "no client can get it",
}

// why shows what breaks a lock, and the command that plays it: of two who believe or of damage, else of the first way.
func (f *adviseFlags) why(a *explore.Advice, of []explore.Way) {
	for _, way := range of {
		if s := a.Breaks[way.String()]; s != nil {
			kinds := say.Verbatim(strings.Join(s.Kinds, " + "))
			fmt.Fprintf(f.stdout, "%s\n  simulate run %s\n", f.said(say.BreaksBy.With(say.Verbatim(a.Lock), say.Text(way.String()), kinds)), s.Name)
			return
		}
	}
}

// paint colours what is said of a lock by its verdict.
func (f *adviseFlags) paint(verdict, text string) string {
	colour := map[string]string{
		measured.Survived: "32", measured.NoneFound: "33", measured.NotSearched: "2", measured.Unknown: "2", measured.Broken: "31",
	}[verdict]
	if colour == "" || !f.color() {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
