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

// Options say how a log is read, and judged.
type Options struct {
	Format logline.Format // how its lines are written, made ready; what it does not say, the lines show
	Window time.Duration  // by how much lines may come out of order
	Skip   bool           // lines that make no sense are counted; else the first one is an error
	Rules

	// Found is called with each violation as it becomes known, in the order in which it does; it may be
	// nil. With it, lines cannot be sorted first.
	Found func(*Violation)
	// Missing is asked at the end which part of the log was not read; it may be nil.
	Missing func() say.Phrase
	// TempDir is where lines are sorted; "" for the system's own.
	TempDir string
}

// Source is a file of a log.
type Source struct {
	Name string
	In   io.Reader // nil for one of several that Again opens: there may be more files than can be open at once
	// Again opens it once more; nil when it can be read once only.
	Again func() (io.ReadCloser, error)
}

// LineError says what is wrong with a line.
type LineError struct {
	File string // the name of its source
	Line int64  // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Check reads a log to its end and judges it. Several sources are one log. What is compressed by gzip is read as it
// was before. What is wrong with a line is a *LineError.
//
// When the lines of a log come out of order by more than the window, all of them are sorted on disk first, and
// those of several sources always.
func Check(ctx context.Context, o Options, sources ...Source) (*Result, error) {
	l := newLog(ctx, o, sources)
	if len(sources) > 1 || o.Format.Order == logline.Newest || o.Format.Order == logline.Mixed {
		return l.sorted(func(i int) (io.ReadCloser, error) {
			if s := &sources[i]; s.In == nil {
				return s.Again()
			}
			return io.NopCloser(sources[i].In), nil
		})
	}
	order := order{window: int64(o.Window), instant: instant{emit: l.judge.instant}}
	l.take = order.push
	err := l.read(sources[0].In)
	if err == nil {
		err = order.flush()
	}
	if IsLate(err) && sources[0].Again != nil {
		var late *lateError
		l = newLog(ctx, o, sources)
		if line := (*LineError)(nil); errors.As(err, &line) && errors.As(err, &late) {
			l.judge.result.remark(say.LogSorted.With(say.Number(line.Line), say.Span(late.by)))
		}
		return l.sorted(func(int) (io.ReadCloser, error) { return sources[0].Again() })
	}
	if err != nil {
		return nil, err
	}
	return l.finish(), nil
}

// log is one that is being read.
type log struct {
	ctx     context.Context
	options Options
	take    func(*Event) error
	judge   *judge

	// Of the source that is being read:
	number  int
	lines   *lines
	line    []byte
	ahead   []byte // its beginning
	decoder logline.Decoder
	format  logline.Format
	values  *values
	steps   steps
	event   Event

	total   int64
	skipped left   // lines that make no sense
	other   left   // lines about something else
	ignored left   // lines that the format says not to matter
	spans   []span // of the sources
	unread  left   // lines that speak of a lock, and of which nothing is understood
	zoned   bool   // some times have a zone
	lacks   bool   // some have none, and it is not stated
	formats []string
	reads   []logline.Read // of the first source
}

// left are lines that were left out.
type left struct {
	n     int64
	first int64 // the place of the first of them
	line  string
	err   error
}

func (l *left) add(place int64, line []byte, err error) {
	if l.n++; l.n == 1 {
		*l = left{1, place, shownLine(line), err}
	}
}

func newLog(ctx context.Context, o Options, sources []Source) *log {
	l := &log{ctx: ctx, options: o, judge: newJudge(o.Rules, o.Found)}
	for _, s := range sources {
		l.judge.files = append(l.judge.files, s.Name)
	}
	return l
}

// sorted reads all sources and sorts their lines.
func (l *log) sorted(open func(int) (io.ReadCloser, error)) (*Result, error) {
	s := &sorter{dir: l.options.TempDir}
	defer s.close()
	l.take = s.add
	for l.number = range l.judge.files {
		in, err := open(l.number)
		if err != nil {
			return nil, err
		}
		err = l.read(in)
		in.Close()
		if err != nil {
			return nil, err
		}
	}
	all := instant{emit: l.judge.instant}
	err := s.each(func(e *Event) error {
		if !all.add(e) {
			l.judge.result.doubt(say.LogCrowded.With(say.Number(maxInstant), l.judge.files.at(e.Line)))
		}
		return l.interrupted(e.Line)
	})
	if err != nil {
		return nil, err
	}
	all.flush()
	return l.finish(), nil
}

// interrupted is ctx's end, looked for now and then.
func (l *log) interrupted(line int64) error {
	if line%1024 == 0 {
		return l.ctx.Err()
	}
	return nil
}

// whySkipped is why a line could not be read. Errors are in English.
type whySkipped struct{ err error }

// In returns the reason, or where it is found.
func (w whySkipped) In(l say.Language) string {
	if l == say.English {
		return w.err.Error()
	}
	return say.Words("the reason is told without --skip-invalid").In(l)
}

// finish is the result, with what was noticed on the way to it.
func (l *log) finish() *Result {
	r := &l.judge.result
	if n := &l.skipped; n.n > 0 {
		r.doubt(say.LogSkipped.With(say.Number(n.n), l.judge.files.at(n.first), whySkipped{n.err}))
	}
	if n := &l.unread; n.n > 0 {
		unread := say.LogUnread
		if slices.Equal(l.formats, []string{logline.Monitor}) {
			unread = say.LogLeftOpen
		}
		r.doubt(unread.With(say.Number(n.n), l.judge.files.at(n.first), say.Verbatim(n.line)))
	}
	if foreign := l.foreign(); foreign != "" {
		r.remark(say.LogReads.With(say.Verbatim(strings.Join(l.formats, "+")), say.Verbatim(foreign)))
	}
	if n := &l.other; n.n > 0 {
		r.remark(say.LogOther.With(say.Number(n.n), l.judge.files.at(n.first), say.Verbatim(n.line)))
	}
	if n := &l.ignored; n.n > 0 {
		r.remark(say.LogIgnored.With(say.Number(n.n), l.judge.files.at(n.first), say.Verbatim(n.line)))
	}
	if l.lacks {
		r.remark(say.LogNoZone.With())
		if a, b := strangers(l.spans); b > 0 {
			r.doubt(say.LogApart.With(say.Verbatim(l.judge.files[a]), say.Verbatim(l.judge.files[b])))
		}
	}
	if l.options.Missing != nil {
		if what := l.options.Missing(); !what.Empty() {
			l.judge.result.doubt(what)
		}
	}
	r = l.judge.close(l.total)
	r.Skipped, r.Other, r.Unread, r.Reads = l.skipped.n, l.other.n, l.unread.n, l.reads
	r.Format = strings.Join(l.formats, "+")
	return r
}

// foreign says what was read as what, in a log that has other names than ours.
func (l *log) foreign() string {
	var all []string
	other := false
	for _, read := range l.reads {
		all = append(all, read.Ours+"="+read.Theirs)
		other = other || read.Ours != read.Theirs
	}
	if !other {
		return ""
	}
	return strings.Join(all, ", ")
}
