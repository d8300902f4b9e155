package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"lockstep/internal/interrupt"
	"lockstep/internal/logcheck"
	"lockstep/internal/logcheck/logline"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// explained shows how the first lines of a log are read.
func (f *judgeFlags) explained(ctx context.Context, w io.Writer, in *input, o logcheck.Options, first bool) error {
	if in.history {
		return fmt.Errorf("%s is the history of a run: it has one format, and --explain-format is for logs", in.name)
	}
	x, err := interrupt.Unless(ctx, "reading "+in.name, func() (*logcheck.Explanation, error) {
		return logcheck.Explain(ctx, o, logcheck.Source{Name: in.name, In: in})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	if !first {
		fmt.Fprintln(w)
	}
	if x.Err == nil {
		fmt.Fprintln(w, f.said(say.LogReadAs.With(say.Verbatim(in.name), say.Verbatim(x.Format))))
		var rows [][]string
		for _, read := range x.Reads {
			rows = append(rows, []string{read.Ours, clean.Text(read.Theirs, clean.MaxName)})
		}
		f.printTable(w, []string{"value", "read from"}, rows)
		fmt.Fprintln(w)
	}
	for i := range x.Lines {
		f.explainedLine(w, &x.Lines[i], x.Unit, x.Err)
	}
	if x.Err != nil {
		return fmt.Errorf("%s:%d: %w", in.name, x.Lines[len(x.Lines)-1].Number, x.Err)
	}
	if x.Other > 0 {
		fmt.Fprintln(w, f.said(say.LogOtherLeft.With(say.Grouped(x.Other))))
	}
	for _, flag := range missing(x.Reads) {
		fmt.Fprintln(w, f.named("hint", flag))
	}
	return nil
}

// explainedLine shows a line, and below it its events or why it has none.
func (f *judgeFlags) explainedLine(w io.Writer, line *logcheck.Explained, unit logcheck.Unit, last error) {
	number := strconv.FormatInt(line.Number, 10)
	fmt.Fprintf(w, "%s: %s\n", number, clean.KeepBlanks(line.Text))
	indent := strings.Repeat(" ", len(number)+2)
	said := line.Says(unit)
	for _, event := range said {
		fmt.Fprintf(w, "%s= %s\n", indent, clean.Text(event, clean.MaxLine))
	}
	switch {
	case line.Err == nil && len(said) > 0:
	case line.Err == nil:
		fmt.Fprintf(w, "%s- %s\n", indent, say.Text("no event").In(f.language))
	case line.Err == last: // it ends the command, and is said there
	case errors.Is(line.Err, logline.ErrOther):
		fmt.Fprintf(w, "%s- %s\n", indent, say.Text("about something else").In(f.language))
	default:
		fmt.Fprintf(w, "%s! %s\n", indent, clean.Text(line.Err.Error(), clean.MaxProse))
	}
}

// missing are hints about what is not read, and may be there.
func missing(reads []logline.Read) (hints []say.Phrase) {
	for _, ours := range []string{"token", "mode"} {
		has := false
		for _, read := range reads {
			has = has || read.Ours == ours
		}
		if !has {
			hints = append(hints, map[string]say.Phrase{"token": say.LogNoTokenRead.With(), "mode": say.LogNoModeRead.With()}[ours])
		}
	}
	return hints
}
