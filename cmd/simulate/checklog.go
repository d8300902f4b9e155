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
	"strings"
	"time"

	"github.com/spf13/pflag"

	"lockstep/internal/interrupt"
	"lockstep/internal/logcheck"
	"lockstep/internal/report/clean"
	"lockstep/internal/report/logpage"
	"lockstep/internal/rundir"
	"lockstep/internal/say"
	"lockstep/internal/shell"
)

// logFlags are the flags of check that say how a log is read, and judged.
type logFlags struct {
	columns, unit             string
	window, clockError, lease time.Duration
	follow, skip              bool

	judged []*pflag.Flag // those that were given and that the verdict depends on
}

// options are the flags, checked.
func (f *logFlags) options() (o logcheck.Options, err error) {
	if o.Columns, err = logcheck.ParseColumns(f.columns); err != nil {
		return o, fmt.Errorf("--columns: %w", err)
	}
	if o.Unit, err = logcheck.UnitOf(f.unit); err != nil {
		return o, fmt.Errorf("--time-unit: %w", err)
	}
	switch {
	case f.window < 0:
		return o, fmt.Errorf("--window %v: a time from 0 on", f.window)
	case f.clockError < 0 || f.clockError > logcheck.MaxClockError:
		return o, fmt.Errorf("--clock-error %v: a time from 0 to %v", f.clockError, logcheck.MaxClockError)
	case f.lease < 0 || f.lease > logcheck.MaxLease:
		return o, fmt.Errorf("--lease %v: a time from 0 to %v", f.lease, logcheck.MaxLease)
	}
	o.Window, o.Skip = f.window, f.skip || f.follow
	o.Rules = logcheck.Rules{ClockError: f.clockError, Lease: f.lease}
	return o, nil
}

// checkedLog is one judged log.
type checkedLog struct {
	File       string                `json:"file"`
	Format     string                `json:"format"`
	Lines      int64                 `json:"lines"`
	Events     int64                 `json:"events"`  // judged
	Skipped    int64                 `json:"skipped"` // lines that make no sense
	From       string                `json:"from"`    // the time of the first event, as the log says times; "" without any
	To         string                `json:"to"`
	Locks      int64                 `json:"locks"`
	Contended  int64                 `json:"contended"` // of the locks
	Verdict    logcheck.Verdict      `json:"verdict"`   // the worst of all
	Words      string                `json:"words"`
	Verdicts   map[string]logVerdict `json:"verdicts"` // by property
	Doubts     []string              `json:"doubts"`   // why none would be too much to say
	Remarks    []string              `json:"remarks"`
	ByLock     []logFinding          `json:"by_lock"`    // the worst first, not all of very many
	Violations []logViolation        `json:"violations"` // the first ones
	Page       string                `json:"page,omitempty"`
	result     *logcheck.Result
}

type logVerdict struct {
	Verdict  logcheck.Verdict `json:"verdict"`
	Certain  int64            `json:"certain"`
	Possible int64            `json:"possible"`
	AtLeast  bool             `json:"at_least"` // there may have been more than that
}

type logFinding struct {
	Lock      string           `json:"lock"`
	Verdict   logcheck.Verdict `json:"verdict"`
	Acquired  int64            `json:"acquired"`
	Contended bool             `json:"contended"`
	Overlaps  int64            `json:"overlaps"`     // certain and possible
	Stale     int64            `json:"stale_writes"` // likewise
}

type logViolation struct {
	Sort    logcheck.Sort `json:"sort"`
	Certain bool          `json:"certain"`
	Lock    string        `json:"lock"`
	Clients []string      `json:"clients"` // the intruder, then those that it found; or who wrote, then the newer holder
	At      string        `json:"at"`      // the time of the line that shows it
	Line    int64         `json:"line"`    // and its number
	Words   string        `json:"words"`
}

// The properties of a log are named as those of a run.
const (
	exclusionID  = "mutual-exclusion"
	staleWriteID = "no-stale-write"
)

// logged is a result as JSON has it.
func logged(name string, r *logcheck.Result, unit logcheck.Unit) *checkedLog {
	c := &checkedLog{
		File: name, Format: r.Format, Lines: r.Lines, Events: r.Events, Skipped: r.Skipped, Locks: r.Locks, Contended: r.Contended,
		Verdict: r.Verdict(), Words: r.Words().English(), Doubts: inEnglish(r.Doubts), Remarks: inEnglish(r.Remarks), result: r,
		Verdicts: map[string]logVerdict{
			exclusionID:  {r.Overlap(), r.Overlaps.Certain, r.Overlaps.Possible, r.Overlaps.AtLeast},
			staleWriteID: {r.StaleWrite(), r.StaleWrites.Certain, r.StaleWrites.Possible, r.StaleWrites.AtLeast},
		},
		ByLock: []logFinding{}, Violations: []logViolation{},
	}
	if r.Events > 0 {
		c.From, c.To = unit.At(r.First), unit.At(r.Last)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c.ByLock = append(c.ByLock, logFinding{
			f.Lock, f.Verdict(), f.Acquired, f.Contended, f.Overlaps.Certain + f.Overlaps.Possible, f.StaleWrites.Certain + f.StaleWrites.Possible,
		})
	}
	for _, v := range r.Violations {
		at, line := v.Shown()
		c.Violations = append(c.Violations, logViolation{v.Sort, v.Certain, v.Lock, v.Clients(), unit.At(at), line, v.Words().English()})
	}
	return c
}

func inEnglish(phrases []say.Phrase) []string {
	out := []string{}
	for _, p := range phrases {
		out = append(out, p.English())
	}
	return out
}

// log judges a log.
func (f *judgeFlags) log(ctx context.Context, in *input, o logcheck.Options) (c *checkedLog, err error) {
	read := func() (*logcheck.Result, error) {
		return logcheck.Check(ctx, &interrupt.Reader{Ctx: ctx, From: in}, in.again, o)
	}
	var r *logcheck.Result
	if f.follow {
		r, err = f.followed(ctx, in, o)
	} else {
		r, err = interrupt.Unless(ctx, "reading "+in.name, read)
	}
	if err == nil {
		c := logged(in.name, r, o.Unit)
		return c, f.savedPage(in, c, o)
	}
	var line *logcheck.LineError
	var path *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted while reading %s", in.name)
	case errors.As(err, &path):
		return nil, unreadable(path)
	case errors.As(err, &line):
		cure := "; --skip-invalid counts such lines and goes on"
		switch {
		case logcheck.IsLate(err):
			cure = "; a file is sorted on disk"
		case line.Line == 1: // without it no other line can be read
			cure = ""
		}
		return nil, fmt.Errorf("%s:%d: %w%s", in.name, line.Line, line.Err, cure)
	}
	return nil, fmt.Errorf("%s: %w", in.name, err)
}

// savedPage writes the page of a log in which something is wrong into the run store. Its name has the
// hash of what it shows: another page never takes its place.
func (f *judgeFlags) savedPage(in *input, c *checkedLog, o logcheck.Options) error {
	if len(c.result.Violations) == 0 {
		return nil
	}
	again := []string{"simulate", "check", shell.Word(cmp.Or(in.path, "-"))}
	for _, flag := range f.judged {
		again = append(again, "--"+flag.Name+"="+shell.Word(flag.Value.String()))
	}
	data, err := logpage.HTML(&logpage.Log{
		Language: f.language, Name: in.name, Again: strings.Join(again, " "), Unit: o.Unit, Rules: o.Rules, Result: c.result,
	})
	if err != nil {
		return &bugError{err}
	}
	name := strings.TrimSuffix(clean.Dashed(filepath.Base(in.name)), ".gz")
	c.Page, err = f.savePage(fmt.Sprintf("log-%.40s-%.12s.html", name, rundir.SHA256(data)), data)
	return err
}

// followed judges a log while it grows. Each violation is printed as it becomes known, except where one
// JSON object is to come.
func (f *judgeFlags) followed(ctx context.Context, in *input, o logcheck.Options) (*logcheck.Result, error) {
	tell := func(p say.Phrase) { fmt.Fprintln(os.Stderr, f.said(p)) }
	o.Found = func(v *logcheck.Violation) {
		if !f.json {
			f.showViolation(f.stdout, v, o.Unit)
		}
	}
	from := io.Reader(&patient{ctx: ctx, from: in})
	var t *tail
	if in.path != "" {
		var err error
		if t, err = newTail(ctx, in.path, tell); err != nil {
			return nil, notRead(err)
		}
		defer t.Close()
		from = t
	}
	tell(say.LogFollowing.With(say.Verbatim(in.name)))
	r, err := logcheck.Check(context.WithoutCancel(ctx), from, nil, o)
	if err == nil && t != nil && !t.missing.Empty() {
		r.Doubts = append(r.Doubts, t.missing)
	}
	return r, err
}

// patient reads from a pipe until its context ends: then it is at its end.
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

// shownViolations is how many violations the terminal shows of one log.
const shownViolations = 10

// showLog prints a judged log.
func (f *judgeFlags) showLog(w io.Writer, c *checkedLog, unit logcheck.Unit) {
	r := c.result
	fmt.Fprintln(w, f.said(say.OfLock.With(say.Verbatim(c.File), say.LogLines.With(
		say.Grouped(c.Lines), say.Verbatim(strings.ToUpper(c.Format)), say.Grouped(c.Locks), say.Verbatim(c.From), say.Verbatim(c.To)))))
	fmt.Fprintf(w, "%s\n\n", f.said(r.Words()))
	stale := []string{staleWriteID, f.logVerdict(r.StaleWrite(), r.StaleWrites), f.firstOf(r, logcheck.StaleWrite)}
	if r.Writes == 0 {
		stale[1], stale[2] = say.Text("not judged").In(f.language), f.said(say.LogNoWrites.With())
	}
	f.printTable(w, []string{"property", "verdict", "first violation, or why it is unknown"},
		[][]string{{exclusionID, f.logVerdict(r.Overlap(), r.Overlaps), f.firstOf(r, logcheck.Overlap)}, stale})
	if len(r.Violations) > 0 && !f.quiet && !f.follow {
		fmt.Fprintln(w)
		for i, v := range r.Violations {
			if i == shownViolations {
				fmt.Fprintln(w, f.said(say.LogMore.With(say.Number(len(r.Violations)-i))))
				break
			}
			f.showViolation(w, v, unit)
		}
	}
	for i, p := range append(append([]say.Phrase{}, r.Doubts...), r.Remarks...) {
		if i == 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, f.named("hint", p))
	}
	if c.Page != "" {
		fmt.Fprintln(w, "\n"+f.named("page", say.Verbatim(c.Page)))
	}
}

// logVerdict is a verdict with how often.
func (f *judgeFlags) logVerdict(v logcheck.Verdict, n logcheck.Count) string {
	word := say.Text(string(v)).In(f.language)
	switch v {
	case logcheck.Certain:
		return "x " + f.said(say.LogTimes.With(say.Verbatim(word), say.Number(n.Certain)))
	case logcheck.Possible:
		return "? " + f.said(say.LogTimes.With(say.Verbatim(word), say.Number(n.Possible)))
	case logcheck.Unknown:
		return "? " + word
	}
	return "v " + word
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
func (f *judgeFlags) showViolation(w io.Writer, v *logcheck.Violation, unit logcheck.Unit) {
	sign := "?"
	if v.Certain {
		sign = "x"
	}
	at, _ := v.Shown()
	fmt.Fprintf(w, "%s %s  %s\n", sign, unit.At(at), f.said(say.OfLock.With(say.Verbatim(v.Lock), v.Words())))
}
