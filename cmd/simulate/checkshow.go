package main

import (
	"fmt"
	"io"
	"slices"

	"lockstep/internal/logcheck"
	"lockstep/internal/report/clean"
	"lockstep/internal/say"
)

// shownViolations is how many violations the terminal shows of one log.
const shownViolations = 10

// showLog prints a judged log.
func (f *judgeFlags) showLog(w io.Writer, c *checkedLog) {
	r := c.result
	fmt.Fprintln(w, f.said(say.OfLock.With(say.Verbatim(c.File), say.LogLines.With(
		say.Grouped(c.Lines), say.Verbatim(r.FormatName()), say.Grouped(c.Locks), say.Verbatim(c.From), say.Verbatim(c.To)))))
	fmt.Fprintf(w, "%s\n\n", f.said(r.Words()))
	stale := []string{say.Text("stale writes").In(f.language), f.logVerdict(r.StaleWrite(), r.StaleWrites), f.firstOf(r, logcheck.StaleWrite)}
	if r.Writes == 0 {
		stale[1], stale[2] = say.Text("not judged").In(f.language), f.said(say.LogNoWrites.With())
	}
	f.printTable(w, []string{"what", "verdict", "first violation, or why it is unknown"},
		[][]string{{say.Text("two holders").In(f.language), f.logVerdict(r.Overlap(), r.Overlaps), f.firstOf(r, logcheck.Overlap)}, stale})
	if len(r.Violations) > 0 && !f.quiet && !f.follow {
		fmt.Fprintln(w)
		for i, v := range r.Violations {
			if i == shownViolations {
				fmt.Fprintln(w, f.said(say.LogMore.With(say.Number(len(r.Violations)-i))))
				break
			}
			f.showViolation(w, v)
			if i < quotedViolations {
				f.showProof(w, v)
			}
		}
	}
	hints := r.Remarks
	if r.Verdict() != logcheck.Unknown { // else the verdict names them
		hints = slices.Concat(r.Doubts, r.Remarks)
	}
	for i, p := range hints {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, f.named("hint", p))
	}
	if c.Page != "" {
		fmt.Fprintln(w, "\n"+f.named("page", say.Verbatim(c.Page)))
	}
}

// quotedViolations is how many of them have their lines in the terminal.
const quotedViolations = 3

// showProof prints for how long clients held together, and the lines that show it.
func (f *judgeFlags) showProof(w io.Writer, v *logcheck.Violation) {
	if together := v.TogetherWords(); !together.Empty() {
		fmt.Fprintf(w, "    %s\n", f.said(together))
	}
	for _, q := range v.Quotes {
		fmt.Fprintf(w, "    %s: %s\n", clean.Text(q.Place, clean.MaxLine), clean.Text(q.Text, clean.MaxLine))
	}
}

// logVerdict is a verdict with its sign and how often.
func (f *judgeFlags) logVerdict(v logcheck.Verdict, n logcheck.Count) string {
	sign := map[logcheck.Verdict]string{logcheck.Certain: "x ", logcheck.Possible: "? ", logcheck.Unknown: "? ", logcheck.None: "v "}[v]
	return sign + f.said(n.Words(v))
}

// firstOf is the first violation of a sort, or why the verdict is unknown.
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
func (f *judgeFlags) showViolation(w io.Writer, v *logcheck.Violation) {
	sign := "?"
	if v.Certain {
		sign = "x"
	}
	at, _, _ := v.Shown()
	fmt.Fprintf(w, "%s %s  %s\n", sign, v.Time(at), f.said(say.OfLock.With(say.Verbatim(v.Lock), v.Words())))
}
