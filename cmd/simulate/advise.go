package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/internal/campaign/advice"
	"lockstep/internal/campaign/explore"
	"lockstep/internal/campaign/faultkind"
	"lockstep/internal/campaign/results"
	"lockstep/internal/checker"
	"lockstep/internal/each"
	"lockstep/internal/interrupt"
	"lockstep/internal/say"
)

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
work at once, and whether what the lock protects can refuse an old token. In a terminal
it asks them; --have, --if-two and --tokens answer them in advance. The answer comes with its
reason, its price and its evidence; if no lock survives, it says so, and what would help.

Or say exactly what can happen, with --expect: which locks break when only certain kinds of
faults can happen. A long kind of fault includes its short form. With fencing tokens, an
overlap does no harm: --must-not damage,foreign-release,no-progress. Without a terminal and
without flags it writes a page with the same questions.

Both come from the stored exhaustive search (see simulate explore). Below each lock that
survives, the evidence is shown.

What you can have: ` + strings.Join(advice.IDs(advice.Haves()), ", ") + `.

What the lock can protect: ` + strings.Join(advice.IDs(advice.Tokens()), ", ") + `.

Kinds of faults:
` + helpOf(faultkind.All(), kindMeans),
		Example: `  simulate advise --have etcd --if-two damage --tokens yes  # their answers
  simulate advise --expect pause,fail-over  # which locks survive these two
  simulate advise --expect crash,restart,lost-reply --json  # for a script`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			exact := cmd.Flags().Changed("expect") || cmd.Flags().Changed("must-not") || cmd.Flags().Changed("store")
			asked := f.question != advice.Question{}
			switch {
			case exact && asked:
				return errors.New("--have, --if-two and --tokens answer the questions, --expect, --must-not and --store replace them: choose one group")
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
	cmd.Flags().StringSliceVar(&f.mustNot, "must-not", each.Map(checker.Ways(), checker.Way.String), "what must not happen")
	cmd.Flags().StringSliceVar(&f.stores, "store", nil, "only locks of these stores, such as redis (default: all)")
	return speaks(cmd, g)
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
	for _, name := range f.mustNot {
		if way, _ := checker.WayNamed(name); way.String() != name {
			warn("--must-not %s is called %s", name, way)
		}
	}
	if len(of) == 0 {
		return errors.New("--must-not is empty: name at least one way of breaking")
	}
	r, err := storedWalk()
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
	designs, misprints := r.DesignsAndMisprints()
	all := explore.Advise(designs, expected, of)
	if f.json {
		if err := explore.AddTexts(r); err != nil {
			return bug(err)
		}
		return f.printJSON(map[string]any{
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
	if err != nil {
		return err
	}
	return f.reply(map[string]any{"page": path}, f.said(say.TickOnThePage.With(say.Verbatim(path))))
}

// print lists the locks with their verdicts and the evidence for them, then what breaks them.
func (f *adviseFlags) print(all []explore.Advice, misprints *results.Explored, of []checker.Way) {
	ruler := say.RulerFor(f.language)
	row := func(name string, says func(checker.Way) (string, say.Phrase)) {
		fmt.Fprint(f.stdout, ruler.Pad(name, 25))
		for _, way := range of {
			verdict, what := says(way)
			fmt.Fprint(f.stdout, " ", f.paint(adviceColours[verdict], ruler.Pad(what.In(f.language), max(12, len(way.String())))))
		}
		fmt.Fprintln(f.stdout)
	}
	row(say.Text("lock").In(f.language), func(w checker.Way) (string, say.Phrase) { return "", say.Text(w.String()) })
	count, most := map[string]int{}, 0
	for i := range all {
		a := &all[i]
		count[a.Verdict]++
		most = max(most, a.Complete)
		row(a.Lock, func(w checker.Way) (string, say.Phrase) { return a.In(w), a.Says(w) })
		if a.Verdict == results.Broken {
			continue
		}
		f.wrapped("    ", "    ", adviceColours[a.Verdict], f.said(say.About.With(say.Text(a.Verdict), saidOf(a.Rests))))
	}
	printText := func(text say.Phrase) { f.wrapped("", "", "", f.said(text)) }
	fmt.Fprintln(f.stdout)
	printText(say.Stop.With(say.Remarks(each.Map(of, func(way checker.Way) say.Phrase {
		return say.About.With(say.Text(way.String()), way.Means())
	}))))
	printText(say.LocksSurvive.With(say.Number(count[results.Survived]), say.Number(len(all)), say.NoneUpTo.With(say.Number(most)), say.Number(count[results.NoneFound])))
	if count[results.Survived]+count[results.NoneFound] > 0 {
		printText(say.DrawnMeans.With())
	}
	for i := range all {
		f.why(&all[i], of)
	}
	if n := len(misprints.Locks); n > 0 {
		names := each.Map(misprints.Locks, func(l results.ExploredLock) string { return l.Lock })
		fmt.Fprintln(f.stdout)
		printText(say.NoCandidates.With(say.Number(n), say.Names(names)))
	}
}

// why shows the first way in which a lock breaks, and the command that plays it.
func (f *adviseFlags) why(a *explore.Advice, of []checker.Way) {
	for _, way := range of {
		if s := a.Breaks[way.String()]; s != nil {
			kinds := say.Verbatim(strings.Join(s.Kinds, " + "))
			fmt.Fprintf(f.stdout, "%s\n  simulate run %s\n", f.said(say.BreaksBy.With(say.Verbatim(a.Lock), say.Text(way.String()), kinds)), s.Name)
			return
		}
	}
}

var adviceColours = map[string]string{
	results.Survived: "32", results.NoneFound: "33", results.NotSearched: "2", results.Unknown: "2", results.Broken: "31",
}

// answer gives the advice once the three questions are answered, by flags or in the terminal.
func (f *adviseFlags) answer(ctx context.Context) error {
	alone := f.question == advice.Question{}
	in := bufio.NewReader(os.Stdin)
	given := []*string{&f.question.Have, &f.question.IfTwo, &f.question.Tokens}
	for i, q := range advice.Asks() {
		answer, ids := given[i], advice.IDs(q.Choices)
		if *answer == "" && answer == &f.question.Tokens && f.question.IfTwo != advice.Damage {
			*answer = advice.No // not asked if two at once do no damage
		}
		if *answer == "" {
			if f.json || !interactive() {
				return fmt.Errorf("--%s is missing: choose from %s", q.Name, strings.Join(ids, ", "))
			}
			var err error
			if *answer, err = f.ask(ctx, in, &q); err != nil {
				return err
			}
		}
		if !slices.Contains(ids, *answer) {
			return unknownName("answer to --"+q.Name, *answer, ids)
		}
	}
	x, err := storedWalk()
	if err != nil {
		return err
	}
	facts, err := factsOf(ctx, x)
	if err != nil {
		return err
	}
	f.question.Tokens = advice.Refuses(f.question.Tokens)
	a := advice.To(f.question, facts)
	if f.json {
		return f.answerJSON(&a, x)
	}
	f.printAnswer(&a, "")
	if a.Nearest != "" {
		near := advice.To(advice.Question{Have: a.Nearest, IfTwo: a.IfTwo, Tokens: a.Tokens}, facts)
		f.printAnswer(&near, f.said(say.Text("Nearest"))+": ")
	}
	if alone {
		fmt.Fprintln(f.stdout)
		return f.page(ctx)
	}
	return nil
}

// ask asks a question until the answer is a number or a name of the list.
func (f *adviseFlags) ask(ctx context.Context, in *bufio.Reader, q *advice.Ask) (string, error) {
	f.printSaid(say.Text(q.Says))
	for i, c := range q.Choices {
		f.wrapped(fmt.Sprintf(" %2d ", i+1), "     ", "", f.said(c.Name.Phrase()))
		if c.Tokens != "" {
			f.wrapped("     ", "     ", "", f.said(c.How.Phrase()))
		}
	}
	for {
		fmt.Fprint(f.stdout, "> ")
		line, err := interrupt.Unless(ctx, "reading the answer", func() (string, error) { return in.ReadString('\n') })
		if ctx.Err() != nil {
			fmt.Fprintln(f.stdout) // after the prompt
			return "", silent(exitInterrupted)
		}
		if errors.Is(err, io.EOF) {
			return "", errors.New("the questions were not answered")
		}
		if err != nil {
			return "", fmt.Errorf("reading the answer: %w", err)
		}
		word := strings.TrimSpace(line)
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(q.Choices) {
			word = q.Choices[n-1].ID
		}
		if slices.Contains(advice.IDs(q.Choices), word) {
			fmt.Fprintln(f.stdout)
			return word, nil
		}
		f.printSaid(say.NumberFromTo.With(say.Number(len(q.Choices))))
	}
}

// printAnswer prints an answer: its sentence, and the evidence below it.
func (f *adviseFlags) printAnswer(a *advice.Answer, before string) {
	verdict := results.Unknown
	if a.Best != nil {
		verdict = a.Best.Verdict
	}
	f.wrapped("", "", adviceColours[verdict], before+f.said(a.Sentence()))
	fmt.Fprintln(f.stdout)
	for _, l := range a.Lines() {
		text := f.said(say.HeadAndText.With(l.Head, l.Text))
		if l.Lock != "" {
			text += " (docs/locks/" + l.Lock + ".md)"
		}
		f.wrapped("", "  ", "", text)
	}
	if a.Best != nil && a.Best.Story != "" {
		f.wrapped("", "  ", "", f.said(say.HeadAndText.With(say.Text("What you would meet"), say.Phrase{})))
		fmt.Fprintf(f.stdout, "  simulate run %s\n", a.Best.Story)
	}
}

// answerJSON prints the answer together with the result of the equivalent --expect.
func (f *adviseFlags) answerJSON(a *advice.Answer, x *results.Explored) error {
	if err := explore.AddTexts(x); err != nil {
		return bug(err)
	}
	of, err := explore.WaysNamed(slices.DeleteFunc(slices.Clone(a.Must), func(o string) bool { return o == checker.Hung.String() }))
	if err != nil {
		return bug(err)
	}
	designs, misprints := a.Candidates(x).DesignsAndMisprints()
	return f.printJSON(map[string]any{
		"schema": 1, "expected": a.Expected, "must_not": a.Must, "stores": a.Stores(), "answer": a,
		"locks": explore.Advise(designs, a.Expected, of), "misprints": explore.Advise(misprints, a.Expected, of),
	})
}
