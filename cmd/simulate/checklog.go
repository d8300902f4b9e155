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
	columns, unit                            string
	window, clockError, releasedAfter, lease time.Duration
	follow, skip, reentrant, separate        bool
	assumed                                  logcheck.Assumed // what was not given

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
	case f.releasedAfter < 0 || f.releasedAfter > logcheck.MaxReleasedAfter:
		return o, fmt.Errorf("--released-after %v: a time from 0 to %v", f.releasedAfter, logcheck.MaxReleasedAfter)
	case f.lease < 0 || f.lease > logcheck.MaxLease:
		return o, fmt.Errorf("--lease %v: a time from 0 to %v", f.lease, logcheck.MaxLease)
	}
	o.Window, o.Skip = f.window, f.skip || f.follow
	o.Rules = logcheck.Rules{
		ClockError: f.clockError, ReleasedAfter: f.releasedAfter, Lease: f.lease, Reentrant: f.reentrant, Assumed: f.assumed,
	}
	return o, nil
}

// checkedLog is one judged log.
type checkedLog struct {
	File       string                `json:"file"`  // or several, as they were named
	Files      []string              `json:"files"` // that are this log
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
	Settings   []logSetting          `json:"settings"` // the verdicts for all that was assumed; those above are of the first
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

type logSetting struct {
	ClockError    string           `json:"clock_error"`
	ReleasedAfter string           `json:"released_after"`
	Exclusion     logcheck.Verdict `json:"mutual_exclusion"`
	StaleWrite    logcheck.Verdict `json:"no_stale_write"`
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
	File    string        `json:"file"`    // in this file
	Words   string        `json:"words"`
}

// The properties of a log are named as those of a run in JSON. What people read names what was found.
const (
	exclusionID  = "mutual-exclusion"
	staleWriteID = "no-stale-write"
)

// logged is a result as JSON has it.
func logged(names []string, r *logcheck.Result, unit logcheck.Unit) *checkedLog {
	c := &checkedLog{
		File: strings.Join(names, " + "), Files: names, Format: r.Format, Lines: r.Lines, Events: r.Events, Skipped: r.Skipped, Locks: r.Locks, Contended: r.Contended,
		Verdict: r.Verdict(), Words: r.Words().English(), Doubts: inEnglish(r.Doubts), Remarks: inEnglish(r.Remarks), result: r,
		Verdicts: map[string]logVerdict{
			exclusionID:  {r.Overlap(), r.Overlaps.Certain, r.Overlaps.Possible, r.Overlaps.AtLeast},
			staleWriteID: {r.StaleWrite(), r.StaleWrites.Certain, r.StaleWrites.Possible, r.StaleWrites.AtLeast},
		},
		Settings: []logSetting{}, ByLock: []logFinding{}, Violations: []logViolation{},
	}
	if r.Events > 0 {
		c.From, c.To = unit.At(r.First), unit.At(r.Last)
	}
	for _, s := range r.Settings {
		c.Settings = append(c.Settings, logSetting{s.ClockError.String(), s.ReleasedAfter.String(), s.Overlap, s.StaleWrite})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c.ByLock = append(c.ByLock, logFinding{
			f.Lock, f.Verdict(), f.Acquired, f.Contended, f.Overlaps.Certain + f.Overlaps.Possible, f.StaleWrites.Certain + f.StaleWrites.Possible,
		})
	}
	for _, v := range r.Violations {
		at, line, file := v.Shown()
		c.Violations = append(c.Violations, logViolation{v.Sort, v.Certain, v.Lock, v.Clients(), unit.At(at), line, cmp.Or(file, names[0]), v.Words().English()})
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

// log judges the files of a log.
func (f *judgeFlags) log(ctx context.Context, files []*input, o logcheck.Options) (c *checkedLog, err error) {
	if only := files[0]; len(files) == 1 && only.Reader == nil { // the other files were histories
		in, err := only.again()
		if err != nil {
			return nil, notRead(err)
		}
		defer in.Close()
		only.Reader = in
	}
	var sources []logcheck.Source
	var names []string
	for _, in := range files {
		s := logcheck.Source{Name: in.name, In: &interrupt.Reader{Ctx: ctx, From: in}, Again: in.again}
		if in.Reader == nil {
			s.In = nil
		}
		sources = append(sources, s)
		names = append(names, in.name)
	}
	name := strings.Join(names, " + ")
	var r *logcheck.Result
	if f.follow {
		r, err = f.followed(ctx, files[0], o)
	} else {
		r, err = interrupt.Unless(ctx, "reading "+name, func() (*logcheck.Result, error) { return logcheck.Check(ctx, o, sources...) })
	}
	if err == nil {
		c := logged(names, r, o.Unit)
		return c, f.savedPage(files, c, o)
	}
	var line *logcheck.LineError
	var path *fs.PathError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted while reading %s", name)
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
		return nil, fmt.Errorf("%s:%d: %w%s", line.File, line.Line, line.Err, cure)
	case len(files) > 1:
		return nil, err // it names the file
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// savedPage writes the page of a log in which something is wrong into the run store. Its name has the
// hash of what it shows: another page never takes its place.
func (f *judgeFlags) savedPage(files []*input, c *checkedLog, o logcheck.Options) error {
	if len(c.result.Violations) == 0 {
		return nil
	}
	again := []string{"simulate", "check"}
	for _, in := range files {
		again = append(again, shell.Word(cmp.Or(in.path, "-")))
	}
	for _, flag := range f.judged {
		again = append(again, "--"+flag.Name+"="+shell.Word(flag.Value.String()))
	}
	data, err := logpage.HTML(&logpage.Log{
		Language: f.language, Name: c.File, Again: strings.Join(again, " "), Unit: o.Unit, Rules: o.Rules, Result: c.result,
	})
	if err != nil {
		return &bugError{err}
	}
	name := strings.TrimSuffix(clean.Dashed(filepath.Base(files[0].name)), ".gz")
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
	if t != nil {
		o.Missing = func() say.Phrase { return t.missing }
	}
	return logcheck.Check(context.WithoutCancel(ctx), o, logcheck.Source{Name: in.name, In: from})
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
func (f *judgeFlags) showViolation(w io.Writer, v *logcheck.Violation, unit logcheck.Unit) {
	sign := "?"
	if v.Certain {
		sign = "x"
	}
	at, _, _ := v.Shown()
	fmt.Fprintf(w, "%s %s  %s\n", sign, unit.At(at), f.said(say.OfLock.With(say.Verbatim(v.Lock), v.Words())))
}
