package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lockstep/internal/each"
	"lockstep/internal/interrupt"
	"lockstep/internal/logcheck"
	"lockstep/internal/logcheck/logline"
	"lockstep/internal/report/logpage"
	"lockstep/internal/report/sanitize"
	"lockstep/internal/runstore"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// logFlags are the flags of check for reading and judging logs.
type logFlags struct {
	format                                     logline.Format // from the flags
	mapping, columns, events                   string
	window, clockError, releasedAfter, lease   time.Duration
	follow, skip, reentrant, separate, explain bool
	assumed                                    logcheck.Assumed // the flags that were not given

	judged []*pflag.Flag // the given flags that the verdict depends on
}

// options checks the flags and completes them from the mapping.
func (f *logFlags) options() (o logcheck.Options, err error) {
	format := f.format
	if format.Columns, err = logline.ParseColumns(f.columns); err != nil {
		return o, fmt.Errorf("--columns: %w", err)
	}
	if format.Events, err = logline.ParseEvents(f.events); err != nil {
		return o, fmt.Errorf("--events: %w", err)
	}
	at := "--" // the place of mistakes: a flag, or a file
	if f.mapping != "" {
		if _, err := format.Ready(); err != nil { // a mistake in the flags, not in the file
			return o, fmt.Errorf("--%w", err)
		}
		if err := logcheck.Usable(&format); err != nil {
			return o, fmt.Errorf("--%w", err)
		}
		text, err := os.ReadFile(f.mapping)
		if errors.Is(err, fs.ErrNotExist) {
			return o, fmt.Errorf("%s: no such file", f.mapping)
		}
		if err != nil {
			return o, runstore.NotRead(err)
		}
		m, err := logline.Parse(text)
		if err != nil {
			return o, fmt.Errorf("%s: %w", f.mapping, err)
		}
		if f.stated("lease") { // also as 0, which states none
			m.Lease = ""
		}
		m.Reentrant = m.Reentrant && !f.stated("reentrant")
		format = format.Over(m)
		at = f.mapping + ": "
	}
	ready, err := format.Ready()
	if err != nil {
		return o, fmt.Errorf("%s%w", at, err)
	}
	o.Format = *ready
	switch {
	case f.clockError < 0 || f.clockError > logcheck.MaxClockError:
		return o, fmt.Errorf("--clock-error %v: a time from 0 to %v", f.clockError, logcheck.MaxClockError)
	case f.releasedAfter < 0 || f.releasedAfter > logcheck.MaxReleasedAfter:
		return o, fmt.Errorf("--released-after %v: a time from 0 to %v", f.releasedAfter, logcheck.MaxReleasedAfter)
	case f.lease < 0 || f.lease > logcheck.MaxLease:
		return o, fmt.Errorf("--lease %v: a time from 0 to %v", f.lease, logcheck.MaxLease)
	}
	o.Rules, err = logcheck.Rules{
		ClockError: f.clockError, ReleasedAfter: f.releasedAfter, Lease: f.lease, Reentrant: f.reentrant, Assumed: f.assumed,
	}.Stated(ready)
	if err != nil {
		return o, fmt.Errorf("%s%w", at, err)
	}
	if f.window < 0 {
		return o, fmt.Errorf("--window %v: a time from 0 on", f.window)
	}
	if err := logcheck.Usable(ready); err != nil {
		return o, fmt.Errorf("%s%w", at, err)
	}
	o.Window, o.Skip = f.window, f.skip || f.follow
	return o, nil
}

// stated reports whether a flag was given.
func (f *logFlags) stated(name string) bool {
	return slices.ContainsFunc(f.judged, func(flag *pflag.Flag) bool { return flag.Name == name })
}

func (f *judgeFlags) log(ctx context.Context, files []*input, o logcheck.Options) (c *logcheck.Summary, err error) {
	if only := files[0]; len(files) == 1 && only.Reader == nil { // the other files were histories
		in, err := only.again()
		if err != nil {
			return nil, runstore.NotRead(err)
		}
		defer in.Close()
		only.Reader = in
	}
	var sources []logcheck.Source
	var names []string
	for _, in := range files {
		sources = append(sources, logcheck.Source{Name: in.name, In: &interrupt.Reader{Ctx: ctx, From: in}, Again: in.again})
		names = append(names, in.name)
	}
	name := strings.Join(names, " + ")
	var r *logcheck.Result
	if f.follow {
		r, err = f.followed(ctx, files[0], o)
	} else {
		r, err = interrupt.Unless(ctx, "reading "+name, func() (*logcheck.Result, error) { return logcheck.Check(ctx, o, sources...) })
	}
	if err == nil && !f.follow {
		err = logcheck.Quote(ctx, o, r, sources...)
	}
	if err == nil {
		c := r.Summary(names)
		return c, f.savedPage(files, c)
	}
	var line *logcheck.LineError
	var path *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted while reading %s", name)
	case errors.As(err, &path):
		return nil, runstore.Unread(path)
	case errors.As(err, &line):
		cure := "; --skip-invalid counts such lines and goes on"
		if line.Line == 1 { // the other lines depend on it
			cure = ""
		}
		return nil, fmt.Errorf("%s:%d: %w%s", line.File, line.Line, line.Err, cure)
	case len(files) > 1:
		return nil, err // it names the file
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// savedPage writes the page of a log with violations into the run store. Its name contains the hash
// of its content, so no other page overwrites it.
func (f *judgeFlags) savedPage(files []*input, c *logcheck.Summary) error {
	if len(c.Result.Violations) == 0 {
		return nil
	}
	names := each.Map(files, func(in *input) string { return shell.Word(cmp.Or(in.path, "-")) })
	again := append([]string{"simulate", "check"}, names...)
	for _, flag := range f.judged {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			again = append(again, "--"+flag.Name+"="+shell.Word(value))
		}
	}
	data, err := logpage.HTML(&logpage.Log{
		Language: f.language, Name: c.File, Again: strings.Join(again, " "), Rules: c.Result.Rules, Result: c.Result,
	})
	name := strings.TrimSuffix(sanitize.Dashed(filepath.Base(files[0].name)), ".gz")
	c.Page, err = f.savePage(fmt.Sprintf("log-%.40s-%.12s.html", name, runstore.SHA256(data)), data, err)
	return err
}

// followed judges a log while it grows. It prints each violation as it becomes known, except with
// --json.
func (f *judgeFlags) followed(ctx context.Context, in *input, o logcheck.Options) (*logcheck.Result, error) {
	report := func(p say.Phrase) { fmt.Fprintln(os.Stderr, f.said(p)) }
	o.Found = func(v *logcheck.Violation) {
		if !f.json {
			f.showViolation(v)
		}
	}
	from := io.Reader(&patient{ctx: ctx, from: in})
	if in.path != "" {
		t, err := logcheck.Follow(ctx, in.path, report)
		if err != nil {
			return nil, runstore.NotRead(err)
		}
		defer t.Close()
		from, o.Missing = t, t.Missing
	}
	report(say.LogFollowing.With(say.Verbatim(in.name)))
	return logcheck.Check(context.WithoutCancel(ctx), o, logcheck.Source{Name: in.name, In: from})
}

// patient reads from a pipe; it returns io.EOF when its context ends.
type patient struct {
	ctx  context.Context
	from io.Reader
	buf  [64 << 10]byte
}

func (p *patient) Read(to []byte) (int, error) {
	n, err := interrupt.Unless(p.ctx, "reading", func() (int, error) { return p.from.Read(p.buf[:min(len(to), len(p.buf))]) })
	if p.ctx.Err() != nil {
		return 0, io.EOF
	}
	return copy(to, p.buf[:n]), err
}

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
		f.printTable([]string{"value", "read from"}, each.Map(x.Reads, func(read logline.Read) []string {
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
