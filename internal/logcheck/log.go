package logcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lockstep/internal/logcheck/logline"
	"lockstep/internal/say"
)

// Options configure how a log is read and judged.
type Options struct {
	Format logline.Format // of its lines, made ready; the rest is detected from the lines
	Window time.Duration  // by which lines may be out of order
	Skip   bool           // count invalid lines; otherwise the first one is an error
	Rules

	// Found is called with each violation when it becomes known; it may be nil. With it, lines
	// cannot be sorted first.
	Found func(*Violation)
	// Missing returns at the end which part of the log was not read; it may be nil.
	Missing func() say.Phrase
	// TempDir is the folder for sorting; "" for the system's own.
	TempDir string
}

// Source is a file of a log.
type Source struct {
	Name string
	In   io.Reader // not used of several, which Again opens: there may be more files than can be open at once
	// Again opens it from the beginning; nil for a log that is followed.
	Again func() (io.ReadCloser, error)
}

func (s *Source) again(read func(io.Reader) error) error {
	in, err := s.Again()
	if err != nil {
		return err
	}
	defer in.Close()
	return read(in)
}

// LineError is the error of a line.
type LineError struct {
	File string // the name of its source
	Line int64  // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Check reads a log to its end and judges it. An invalid line is a *LineError. The lines are sorted
// on disk first if there are several sources, or if some are out of order by more than the window.
func Check(ctx context.Context, o Options, sources ...Source) (*Result, error) {
	l := newLog(ctx, o, sources)
	if len(sources) > 1 {
		return l.sorted()
	}
	order := order{window: int64(o.Window), instant: instant{judge: l.judge}}
	l.take = order.push
	err := l.read(sources[0].In)
	late, is := errors.AsType[*lateError](err)
	if is && sources[0].Again != nil {
		line, _ := errors.AsType[*LineError](err)
		l = newLog(ctx, o, sources)
		l.judge.result.remark(say.LogSorted.With(say.Number(line.Line), say.Span(late.by)))
		return l.sorted()
	}
	if err != nil {
		return nil, err
	}
	order.flush()
	return l.finish(), nil
}

type log struct {
	ctx     context.Context
	options Options
	sources []Source
	take    func(*Event) error
	judge   *judge

	// Of the current source:
	number  int
	lines   *lines
	line    []byte
	ahead   []byte // its beginning
	decoder logline.Decoder
	format  logline.Format
	values  *values
	steps   steps
	nights  steps // of all clients together, at night
	courses map[string]*course
	event   Event
	others  int64 // lines about something else before it

	total   int64
	skipped left   // invalid lines
	other   left   // lines about something else
	ignored left   // lines that the format ignores
	spans   []span // of the sources
	passed  []int  // sources with lines about something else, or with a header only
	unread  left   // lines that mention a lock and were not understood
	zoned   bool   // some times have a zone
	lacks   bool   // some times have no zone, and none is stated
	years   years
	aliases map[string]string // see clock
	formats []string
	reads   []logline.Read // of the first source
}

// left counts lines that were left out.
type left struct {
	n     int64
	first int64 // the place of the first of them
	line  string
	err   error
}

func (l *left) add(place int64, line []byte, err error) {
	if l.n++; l.n == 1 {
		*l = left{1, place, logline.Shown(line, 120), err}
	}
}

// misread notes a line that was not understood.
func (l *log) misread(line []byte, err error) {
	place := l.place()
	if earlier, ok := errors.AsType[logline.Earlier](err); ok {
		place, line = placed(l.number, earlier.Line), []byte(earlier.Text)
	}
	l.unread.add(place, line, err)
}

func newLog(ctx context.Context, o Options, sources []Source) *log {
	l := &log{ctx: ctx, options: o, judge: newJudge(o.Rules, o.Found), sources: sources, aliases: map[string]string{}}
	for _, s := range sources {
		l.judge.files = append(l.judge.files, s.Name)
	}
	return l
}

func (l *log) sorted() (*Result, error) {
	s := &sorter{dir: l.options.TempDir}
	defer s.close()
	l.take = s.add
	for l.number = range l.judge.files {
		if err := l.sources[l.number].again(l.read); err != nil {
			return nil, err
		}
	}
	if a, b := servers(l.spans); b > 0 {
		return nil, fmt.Errorf("%s and %s are MONITOR of the same time, so of two servers: --separate judges each as a store of its own", l.judge.files[a], l.judge.files[b])
	}
	all := instant{judge: l.judge}
	err := s.each(func(e *Event) error {
		all.add(e)
		return l.interrupted(e.Line)
	})
	if err != nil {
		return nil, err
	}
	all.flush()
	return l.finish(), nil
}

// interrupted returns the error of an ended ctx, which it checks every 1024 lines.
func (l *log) interrupted(line int64) error {
	if line%1024 == 0 {
		return l.ctx.Err()
	}
	return nil
}

// reason is the error of a line. Errors are in English only: in other languages it is a hint.
type reason struct {
	err error
	say.Words
}

func (r reason) In(l say.Language) string {
	if l == say.English {
		return r.err.Error()
	}
	return r.Words.In(l)
}

// finish returns the result, with doubts and remarks about lines that were left out.
func (l *log) finish() *Result {
	r := &l.judge.result
	if n := &l.skipped; n.n > 0 {
		r.doubt(say.LogSkipped.With(say.Number(n.n), l.judge.files.at(n.first), reason{n.err, "run without --skip-invalid to see why"}))
	}
	leftOut := func(n *left, note func(say.Phrase), what say.Of3[say.Number, say.Phrase, say.Verbatim]) {
		if n.n > 0 {
			note(what.With(say.Number(n.n), l.judge.files.at(n.first), say.Verbatim(n.line)))
		}
	}
	l.hear()
	switch n := &l.unread; {
	case slices.Equal(l.formats, []string{logline.Monitor}):
		leftOut(n, r.doubt, say.LogLeftOpen)
	case n.n > 0:
		var why say.Part = say.Words("widen --pattern to read such lines, or --ignore them")
		if n.err != logline.ErrUnread {
			why = reason{n.err, "--explain-format shows why"}
		}
		r.doubt(say.LogUnread.With(say.Number(n.n), l.judge.files.at(n.first), say.Verbatim(n.line), why))
	}
	if foreign := l.foreign(); foreign != "" {
		r.remark(say.LogReads.With(say.Verbatim(strings.Join(l.formats, "+")), say.Verbatim(foreign)))
	}
	leftOut(&l.other, r.remark, say.LogOther)
	leftOut(&l.ignored, r.remark, say.LogIgnored)
	if l.lacks {
		r.remark(say.Text("its times have no zone: all are read as one zone without daylight saving time (--zone says which)"))
		if a, b := strangers(l.spans); b > 0 {
			r.doubt(say.LogApart.With(say.Verbatim(l.judge.files[a]), say.Verbatim(l.judge.files[b])))
		}
	}
	if what := l.years.doubt(l.spans, l.judge.rules.Lease); !what.Empty() {
		r.doubt(what)
	}
	if l.options.Missing != nil {
		if what := l.options.Missing(); !what.Empty() {
			r.doubt(what)
		}
	}
	r = l.judge.close(l.total)
	r.Skipped, r.Other, r.Unread, r.Reads = l.skipped.n, l.other.n, l.unread.n, l.reads
	r.Format = strings.Join(l.formats, "+")
	return r
}

// foreign lists how the names of the log were mapped to ours; "" when they are the same.
func (l *log) foreign() string {
	if !slices.ContainsFunc(l.reads, func(r logline.Read) bool { return r.Ours != r.Theirs }) {
		return ""
	}
	var all []string
	for _, read := range l.reads {
		all = append(all, read.Ours+"="+read.Theirs)
	}
	return strings.Join(all, ", ")
}
