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
	"strings"
	"time"

	"github.com/spf13/pflag"

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
			return o, fmt.Errorf("%s: there is no such file", f.mapping)
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

// savedPage writes the page of a log with violations into the run store. Its name contains the hash of
// its content, so no other page overwrites it.
func (f *judgeFlags) savedPage(files []*input, c *logcheck.Summary) error {
	if len(c.Result.Violations) == 0 {
		return nil
	}
	names := each(files, func(in *input) string { return shell.Word(cmp.Or(in.path, "-")) })
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
	tell := func(p say.Phrase) { fmt.Fprintln(os.Stderr, f.said(p)) }
	o.Found = func(v *logcheck.Violation) {
		if !f.json {
			f.showViolation(v)
		}
	}
	from := io.Reader(&patient{ctx: ctx, from: in})
	if in.path != "" {
		t, err := logcheck.Follow(ctx, in.path, tell)
		if err != nil {
			return nil, runstore.NotRead(err)
		}
		defer t.Close()
		from, o.Missing = t, t.Missing
	}
	tell(say.LogFollowing.With(say.Verbatim(in.name)))
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
