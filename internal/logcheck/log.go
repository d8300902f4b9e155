package logcheck

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
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

	// Found is called with each violation as it becomes known, in the order in which it does; nil for
	// nobody. Who wants that cannot have lines sorted first.
	Found func(*Violation)
	// TempDir is where lines are sorted; "" for the system's own.
	TempDir string
}

// LineError says what is wrong with a line.
type LineError struct {
	Line int64 // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Check reads a log to its end and judges it. A log that is compressed by gzip is read as it was before.
// What is wrong with a line is a *LineError.
//
// again opens the log anew; nil when it can be read once only. It is asked for when lines come out of
// order by more than the window: then all of them are sorted on disk first.
func Check(ctx context.Context, in io.Reader, again func() (io.ReadCloser, error), o Options) (*Result, error) {
	l := &log{ctx: ctx, options: o, judge: newJudge(o.Rules, o.Found)}
	l.order = order{window: int64(o.Window), emit: l.judge.observe}
	l.take = l.order.push
	err := l.read(in)
	if IsLate(err) && again != nil {
		return l.sorted(again, err)
	}
	if err != nil {
		return nil, err
	}
	l.order.flush()
	return l.finish(), nil
}

// log is one that is being read.
type log struct {
	ctx     context.Context
	options Options
	lines   *lines
	decoder decoder
	take    func(*Event) error
	order   order
	judge   *judge

	skipped int64
	first   LineError // the first of those
	cut     say.Phrase
}

// sorted reads the log once more and sorts it.
func (l *log) sorted(again func() (io.ReadCloser, error), why error) (*Result, error) {
	in, err := again()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s := &sorter{dir: l.options.TempDir, names: names{}}
	defer s.close()
	l = &log{ctx: l.ctx, options: l.options, judge: newJudge(l.options.Rules, l.options.Found), take: s.add}
	if err := l.read(in); err != nil {
		return nil, err
	}
	if err := s.each(func(e *Event) error { l.judge.observe(e); return l.interrupted(e.Line) }); err != nil {
		return nil, err
	}
	var at *LineError
	var late *lateError
	if errors.As(why, &at) && errors.As(why, &late) {
		l.judge.result.remark(say.LogSorted.With(say.Number(at.Line), say.Span(late.by)))
	}
	return l.finish(), nil
}

// interrupted is ctx's end, looked for now and then.
func (l *log) interrupted(line int64) error {
	if line%1024 == 0 {
		return l.ctx.Err()
	}
	return nil
}

// read reads all lines.
func (l *log) read(in io.Reader) error {
	in, err := Plain(in)
	if err != nil {
		return err
	}
	l.lines = newLines(in)
	var e Event
	for {
		line, err := l.lines.next()
		if stop := l.interrupted(l.lines.number); stop != nil {
			return stop
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			l.cut = say.LogCompressedCut.With(say.Number(l.lines.number))
			return nil
		case err == nil:
			err = l.line(line, &e)
		case !errors.Is(err, errLong):
			return fmt.Errorf("after line %d: %w", l.lines.number, err)
		}
		if err == nil {
			continue
		}
		if l.lines.number > 1 && !l.lines.whole && !IsLate(err) {
			l.cut = say.LogCut.With(say.Number(l.lines.number))
			return nil
		}
		bad := LineError{l.lines.number, err}
		if l.decoder == nil || !l.options.Skip || IsLate(err) && l.options.Found == nil {
			return &bad
		}
		if l.skipped++; l.skipped == 1 {
			l.first = bad
		}
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
	e.Line = l.lines.number
	return l.take(e)
}

var errOpen = errors.New("it has no line break")

// begin finds out about the format by the first line.
func (l *log) begin(line []byte, e *Event) (err error) {
	if line[0] == '{' {
		l.decoder = newJSON(l.options.Columns, l.options.Unit)
		return l.line(line, e)
	}
	d, err := newCSV(line, l.options.Columns, l.options.Unit)
	if err == nil {
		l.decoder = d
	}
	return err
}

// finish is the result, with what was noticed on the way to it.
func (l *log) finish() *Result {
	if l.skipped > 0 {
		l.judge.result.doubt(say.LogSkipped.With(say.Number(l.skipped), say.Number(l.first.Line), say.Both{English: l.first.Err.Error(), Chinese: "原因见不带 --skip-invalid 的运行"}))
	}
	if !l.cut.Empty() {
		l.judge.result.doubt(l.cut)
	}
	r := l.judge.close(l.lines.number)
	r.Skipped = l.skipped
	r.Format = "csv"
	if _, ok := l.decoder.(*jsonDecoder); ok {
		r.Format = "jsonl"
	}
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
