package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/interrupt"
	"lockstep/internal/logcheck"
	"lockstep/internal/logcheck/logline"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/say"
)

// shownViolations is how many violations of a log the terminal shows.
const shownViolations = 10

func (f *judgeFlags) showLog(c *logcheck.Summary) {
	r := c.Result
	fmt.Fprintln(f.stdout, f.said(say.OfLock.With(say.Verbatim(c.File), say.LogLines.With(
		say.Grouped(c.Lines), say.Verbatim(r.FormatName()), say.Grouped(c.Locks), say.Verbatim(c.From), say.Verbatim(c.To)))))
	fmt.Fprintf(f.stdout, "%s\n\n", f.said(r.Words()))
	stale := []string{say.Text("stale writes").In(f.language), f.logVerdict(r.StaleWrite(), r.StaleWrites), f.firstOf(r, logcheck.StaleWrite)}
	if r.Writes == 0 {
		stale[1], stale[2] = say.Text("not judged").In(f.language), f.said(say.LogNoWrites.With())
	}
	f.printTable([]string{"what", "verdict", "first violation, or why it is unknown"},
		[][]string{{say.Text("two holders").In(f.language), f.logVerdict(r.Overlap(), r.Overlaps), f.firstOf(r, logcheck.Overlap)}, stale})
	if len(r.Violations) > 0 && !f.quiet && !f.follow {
		fmt.Fprintln(f.stdout)
		for i, v := range r.Violations {
			if i == shownViolations {
				f.printSaid(say.LogMore.With(say.Number(len(r.Violations) - i)))
				break
			}
			f.showViolation(v)
			if i < quotedViolations {
				f.showProof(v)
			}
		}
	}
	hints := r.Remarks
	if r.Verdict() != logcheck.Unknown { // whose reasons they are
		hints = slices.Concat(r.Doubts, r.Remarks)
	}
	for i, p := range hints {
		if i == 0 {
			fmt.Fprintln(f.stdout)
		}
		fmt.Fprintln(f.stdout, f.named("hint", p))
	}
	if c.Page != "" {
		fmt.Fprintln(f.stdout, "\n"+f.named("page", say.Verbatim(c.Page)))
	}
}

// quotedViolations is how many violations are shown with their lines.
const quotedViolations = 3

// showProof prints how long the clients held the lock together, and the lines that prove it.
func (f *judgeFlags) showProof(v *logcheck.Violation) {
	if together := v.TogetherWords(); !together.Empty() {
		fmt.Fprintf(f.stdout, "    %s\n", f.said(together))
	}
	for _, q := range v.Quotes {
		fmt.Fprintf(f.stdout, "    %s: %s\n", sanitize.Text(q.Place, sanitize.MaxLine), sanitize.Text(q.Text, sanitize.MaxLine))
	}
}

// logVerdict is a verdict with its sign and its count.
func (f *judgeFlags) logVerdict(v logcheck.Verdict, n logcheck.Count) string {
	sign := map[logcheck.Verdict]string{logcheck.Certain: "x ", logcheck.Possible: "? ", logcheck.Unknown: "? ", logcheck.None: "v "}[v]
	return sign + f.said(n.Words(v))
}

// firstOf is the first violation of a kind, or why the verdict is unknown.
func (f *judgeFlags) firstOf(r *logcheck.Result, sort logcheck.Sort) string {
	for _, v := range r.Violations {
		if v.Sort == sort {
			return f.said(v.Words())
		}
	}
	if len(r.Doubts) > 0 {
		return f.said(r.Doubts[0])
	}
	return ""
}

// showViolation prints a violation on a line of its own.
func (f *judgeFlags) showViolation(v *logcheck.Violation) {
	sign := "?"
	if v.Certain {
		sign = "x"
	}
	at, _, _ := v.Shown()
	fmt.Fprintf(f.stdout, "%s %s  %s\n", sign, v.Time(at), f.said(say.OfLock.With(say.Verbatim(v.Lock), v.Words())))
}

// explained shows how the first lines of a log are read.
func (f *judgeFlags) explained(ctx context.Context, in *input, o logcheck.Options, first bool) error {
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
		fmt.Fprintln(f.stdout)
	}
	if x.Err == nil {
		f.printSaid(say.LogReadAs.With(say.Verbatim(in.name), say.Verbatim(x.Format)))
		f.printTable([]string{"value", "read from"}, each(x.Reads, func(read logline.Read) []string {
			return []string{read.Ours, sanitize.Text(read.Theirs, sanitize.MaxName)}
		}))
		fmt.Fprintln(f.stdout)
	}
	for i := range x.Lines {
		f.explainedLine(&x.Lines[i], x.Unit, x.Err)
	}
	if x.Err != nil {
		return fmt.Errorf("%s:%d: %w", in.name, x.Lines[len(x.Lines)-1].Number, x.Err)
	}
	if x.Other > 0 {
		f.printSaid(say.LogOtherLeft.With(say.Grouped(x.Other)))
	}
	for _, flag := range missing(x.Reads) {
		fmt.Fprintln(f.stdout, f.named("hint", flag))
	}
	return nil
}

// explainedLine shows a line, and below it its events or why it has none.
func (f *judgeFlags) explainedLine(line *logcheck.Explained, unit logcheck.Unit, last error) {
	number := strconv.FormatInt(line.Number, 10)
	fmt.Fprintf(f.stdout, "%s: %s\n", number, sanitize.KeepBlanks(line.Text))
	indent := strings.Repeat(" ", len(number)+2)
	said := line.Says(unit)
	for _, event := range said {
		fmt.Fprintf(f.stdout, "%s= %s\n", indent, sanitize.Text(event, sanitize.MaxLine))
	}
	switch {
	case line.Err == nil && len(said) > 0:
	case line.Err == nil:
		fmt.Fprintf(f.stdout, "%s- %s\n", indent, say.Text("no event").In(f.language))
	case line.Err == last: // the error of the command
	case errors.Is(line.Err, logline.ErrOther):
		fmt.Fprintf(f.stdout, "%s- %s\n", indent, say.Text("about something else").In(f.language))
	default:
		fmt.Fprintf(f.stdout, "%s! %s\n", indent, sanitize.Text(line.Err.Error(), sanitize.MaxProse))
	}
}

// missing are hints about values that are not read, but may be in the log.
func missing(reads []logline.Read) (hints []say.Phrase) {
	read := func(ours string) bool {
		return slices.ContainsFunc(reads, func(r logline.Read) bool { return r.Ours == ours })
	}
	if !read("token") {
		hints = append(hints, say.Text("no token is read: if the log has fencing tokens, --columns token=NAME or a group (?<token>...) says where"))
	}
	if !read("mode") {
		hints = append(hints, say.Text("no mode is read: each hold counts as exclusive; if readers share the lock, --columns mode=NAME says where a line says shared or exclusive"))
	}
	return hints
}
