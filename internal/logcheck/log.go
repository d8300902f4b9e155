package logcheck

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lockstep/internal/say"
)

// Options say how a log is read, and judged.
type Options struct {
	Columns Columns       // what it calls its values, where that is not what we call them
	Unit    Unit          // what its times count when they are numbers
	Window  time.Duration // by how much lines may come out of order
	Skip    bool          // lines that make no sense are counted; else the first one is an error
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
	if len(sources) > 1 {
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
	ahead   []byte // its beginning
	decoder decoder

	total, skipped int64
	first          int64 // the place of the first of those
	firstErr       error
	formats        []string
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
	s := &sorter{dir: l.options.TempDir, names: names{}}
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

// read reads all lines of a source.
func (l *log) read(in io.Reader) error {
	in, err := Plain(in)
	if err != nil {
		return l.wrong(err)
	}
	l.lines, l.decoder, l.ahead = newLines(in), nil, nil
	if l.options.Found == nil {
		ahead, _ := l.lines.in.Peek(aheadBytes) // an error comes again when it is read
		l.ahead = bytes.Clone(ahead)
	}
	defer func() { l.total += l.lines.number }()
	var e Event
	for {
		line, err := l.lines.next()
		if stop := l.interrupted(l.lines.number); stop != nil {
			return stop
		}
		switch {
		case err == io.EOF:
			l.format()
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			l.judge.result.doubt(say.LogCompressedCut.With(l.at()))
			l.format()
			return nil
		case err == nil:
			err = l.line(line, &e)
		case !errors.Is(err, errLong):
			return l.wrong(fmt.Errorf("after line %d: %w", l.lines.number, err))
		}
		if err == nil {
			continue
		}
		if l.lines.number > 1 && !l.lines.whole && !IsLate(err) {
			l.judge.result.doubt(say.LogCut.With(l.at()))
			l.format()
			return nil
		}
		if l.decoder == nil || !l.options.Skip || IsLate(err) && l.options.Found == nil {
			return &LineError{l.judge.files[l.number], l.lines.number, err}
		}
		if l.skipped++; l.skipped == 1 {
			l.first, l.firstErr = placed(l.number, l.lines.number), err
		}
	}
}

// aheadBytes is how much of a source is looked at before it is judged, to see how finely its times are written.
const aheadBytes = 64 << 10

// wrong names the source of an error when there are several.
func (l *log) wrong(err error) error {
	if name := l.judge.files.name(placed(l.number, 0)); name != "" {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

// at is the line that was read last.
func (l *log) at() say.Phrase { return l.judge.files.at(placed(l.number, l.lines.number)) }

// format notes that of the source.
func (l *log) format() {
	name := "csv"
	if _, ok := l.decoder.(*jsonDecoder); ok {
		name = "jsonl"
	}
	if !slices.Contains(l.formats, name) {
		l.formats = append(l.formats, name)
	}
}

// line takes one line.
func (l *log) line(line []byte, e *Event) error {
	if len(line) == 0 {
		return nil
	}
	if err := readable(line); err != nil {
		return err
	}
	if l.decoder == nil {
		return l.begin(line, e)
	}
	if c, ok := l.decoder.(*csvDecoder); ok && string(line) == string(c.header) {
		return nil // of a log that was put together from several, or of the next file
	}
	if err := l.decoder.decode(line, e); err != nil {
		return err
	}
	if !l.lines.whole && l.decoder.open() {
		return errOpen
	}
	e.Line = placed(l.number, l.lines.number)
	return l.take(e)
}

var errOpen = errors.New("it has no line break")

// begin finds out about the format by the first line.
func (l *log) begin(line []byte, e *Event) (err error) {
	switch {
	case line[0] == '{':
		l.decoder = newJSON(l.options.Columns, l.options.Unit)
		l.look()
		return l.line(line, e)
	case line[0] == '[' && jsonArray(line):
		return errors.New("it begins a JSON array: write each object on a line of its own, as `jq -c .[]` does")
	}
	d, err := newCSV(line, l.options.Columns, l.options.Unit)
	if err == nil {
		l.decoder = d
		l.look()
	}
	return err
}

// jsonArray reports whether an array of objects begins.
func jsonArray(line []byte) bool {
	inside := bytes.TrimLeft(line[1:], " \t")
	return len(inside) == 0 || inside[0] == '{'
}

// look reads ahead how finely each client writes times, so that the first lines are not taken for coarser than the
// later ones.
func (l *log) look() {
	var e Event
	for line := range bytes.Lines(l.ahead) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 && readable(line) == nil {
			_ = l.decoder.decode(line, &e) // it is named when it is its turn
		}
	}
	l.ahead = nil
}

// finish is the result, with what was noticed on the way to it.
func (l *log) finish() *Result {
	if l.skipped > 0 {
		l.judge.result.doubt(say.LogSkipped.With(say.Number(l.skipped), l.judge.files.at(l.first), say.Both{English: l.firstErr.Error(), Chinese: "原因见不带 --skip-invalid 的运行"}))
	}
	if l.options.Missing != nil {
		if what := l.options.Missing(); !what.Empty() {
			l.judge.result.doubt(what)
		}
	}
	r := l.judge.close(l.total)
	r.Skipped = l.skipped
	r.Format = strings.Join(l.formats, "+")
	return r
}

// Plain decompresses what gzip has compressed, and leaves all else as it is.
func Plain(in io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(in, 64<<10)
	if magic, err := b.Peek(2); err != nil || string(magic) != "\x1f\x8b" {
		return b, nil // an error comes again when it is read
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("it begins as a file of gzip, but cannot be decompressed: %w", err)
	}
	return z, nil
}
