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

	"lockstep/internal/advice"
	"lockstep/internal/explore"
	"lockstep/internal/interrupt"
	"lockstep/internal/measured"
	"lockstep/internal/say"
)

// asked is one of the three questions.
type asked struct {
	flag    string
	says    string
	choices []advice.Choice
	to      *string
}

func (f *adviseFlags) questions() []asked {
	return []asked{
		{"have", "What do you have?", advice.Haves(), &f.question.Have},
		{"if-two", "What happens if two work at once?", advice.IfTwo(), &f.question.IfTwo},
		{"tokens", "What does the lock protect, and can that refuse an old token?", advice.Tokens(), &f.question.Tokens},
	}
}

// answer answers the three questions, once all have been answered: by flags, or in the terminal.
func (f *adviseFlags) answer(ctx context.Context) error {
	alone := f.question == advice.Question{}
	in := bufio.NewReader(os.Stdin)
	for _, q := range f.questions() {
		if *q.to == "" && q.flag == "tokens" && f.question.IfTwo != advice.Damage {
			*q.to = advice.No // it is not asked where two do no damage
		}
		if *q.to == "" {
			if f.json || !interactive() {
				return fmt.Errorf("--%s is missing: choose of %s", q.flag, strings.Join(advice.IDs(q.choices), ", "))
			}
			if err := f.ask(ctx, in, &q); err != nil {
				return err
			}
		}
		if ids := advice.IDs(q.choices); !slices.Contains(ids, *q.to) {
			return unknownName("answer to --"+q.flag, *q.to, ids)
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
	f.tell(&a, "")
	if a.Nearest != "" {
		near := advice.To(advice.Question{Have: a.Nearest, IfTwo: a.IfTwo, Tokens: a.Tokens}, facts)
		f.tell(&near, f.said(say.Text("Nearest"))+": ")
	}
	if alone {
		fmt.Fprintln(f.stdout)
		return f.page(ctx)
	}
	return nil
}

// ask asks one question until there is an answer: its number, or its name.
func (f *adviseFlags) ask(ctx context.Context, in *bufio.Reader, q *asked) error {
	fmt.Fprintln(f.stdout, f.said(say.Text(q.says)))
	for i, c := range q.choices {
		f.wrapped(fmt.Sprintf(" %2d  %s", i+1, f.said(c.Name.Phrase())), "     ")
		if q.flag == "tokens" {
			f.wrapped("     "+f.said(advice.Resources()[i].How.Phrase()), "     ")
		}
	}
	for {
		fmt.Fprint(f.stdout, "> ")
		line, err := interrupt.Unless(ctx, "reading the answer", func() (string, error) { return in.ReadString('\n') })
		if ctx.Err() != nil {
			fmt.Fprintln(f.stdout) // the prompt is still on the line
			return &silentExit{code: exitInterrupted}
		}
		if errors.Is(err, io.EOF) {
			return errors.New("the questions were not answered")
		}
		if err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		word := strings.TrimSpace(line)
		if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(q.choices) {
			word = q.choices[n-1].ID
		}
		if slices.Contains(advice.IDs(q.choices), word) {
			*q.to = word
			fmt.Fprintln(f.stdout)
			return nil
		}
		fmt.Fprintln(f.stdout, f.said(say.NumberFromTo.With(say.Number(len(q.choices)))))
	}
}

// tell prints an answer: its sentence, and below it what it rests on.
func (f *adviseFlags) tell(a *advice.Answer, before string) {
	verdict := measured.Unknown
	if a.Best != nil {
		verdict = a.Best.Verdict
	}
	ruler := say.RulerFor(f.language)
	for _, line := range ruler.Wrap(before+f.said(a.Sentence()), f.width()) {
		fmt.Fprintln(f.stdout, f.paint(verdict, line))
	}
	fmt.Fprintln(f.stdout)
	for _, l := range a.Lines() {
		text := f.said(say.HeadAndText.With(l.Head, l.Text))
		if l.Lock != "" {
			text += " (docs/locks/" + l.Lock + ".md)"
		}
		f.wrapped(text, "  ")
	}
	if a.Best != nil && a.Best.Story != "" {
		f.wrapped(f.said(say.HeadAndText.With(say.Text("What you would meet"), say.Phrase{})), "  ")
		fmt.Fprintf(f.stdout, "  simulate run %s\n", a.Best.Story)
	}
}

// wrapped prints a text whose further lines are indented.
func (f *adviseFlags) wrapped(text, indent string) {
	trimmed := strings.TrimLeft(text, " ")
	first := text[:len(text)-len(trimmed)]
	for i, line := range say.RulerFor(f.language).Wrap(trimmed, f.width()-max(len(first), len(indent))) {
		if i > 0 {
			first = indent
		}
		fmt.Fprintln(f.stdout, first+line)
	}
}

// answerJSON prints the answer beside what --expect would say to the same.
func (f *adviseFlags) answerJSON(a *advice.Answer, x *measured.Explored) error {
	if err := explore.Tell(x); err != nil {
		return &bugError{err}
	}
	of, err := explore.WaysNamed(slices.DeleteFunc(slices.Clone(a.Must), func(o string) bool { return o == measured.Hung }))
	if err != nil {
		return &bugError{err}
	}
	designs, misprints := a.Candidates(x).Apart()
	return printJSON(f.stdout, map[string]any{
		"schema": 1, "expected": a.Expected, "must_not": a.Must, "stores": a.Stores(), "answer": a,
		"locks": explore.Advise(designs, a.Expected, of), "misprints": explore.Advise(misprints, a.Expected, of),
	})
}
