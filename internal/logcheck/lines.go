package logcheck

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxLine is how long a line may be, in bytes.
const maxLine = 1 << 20

// lines reads a log line by line. It keeps one line in memory, however long that of the log is.
type lines struct {
	in     *bufio.Reader
	number int64 // of the line that was read last
	whole  bool  // that line had its line break
	long   bool  // it was too long, and its rest is to be passed over
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReaderSize(in, maxLine+1)} }

var errLong = fmt.Errorf("it is longer than %d bytes", maxLine)

// next returns the next line without its line break, which is good until the next call; io.EOF behind
// the last one, and errLong for a line that is passed over.
func (l *lines) next() (line []byte, err error) {
	for l.long {
		_, err = l.in.ReadSlice('\n')
		l.long = err == bufio.ErrBufferFull
		if err != nil && !l.long {
			return nil, err
		}
	}
	line, err = l.in.ReadSlice('\n')
	if err == io.EOF && len(line) == 0 {
		return nil, err
	}
	l.number++
	l.whole = err == nil
	switch {
	case err == bufio.ErrBufferFull:
		l.long, l.whole = true, true
		return nil, errLong
	case err != nil && err != io.EOF:
		return nil, err
	case l.number == 1:
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// decoder makes an event of a line. It leaves Line alone.
type decoder interface {
	decode(line []byte, e *Event) error
	// open reports whether a line that has no line break may go on: its last value is a number.
	open() bool
}

// fields are the values of a line, as it has them.
type fields struct {
	time, client, lock, event, token []byte
}

// names keeps one string for each name, so that most lines allocate nothing.
type names map[string]string

// maxNames is how many names are kept before all are forgotten.
const maxNames = 1 << 16

func (n names) of(text []byte) string {
	if s, ok := n[string(text)]; ok {
		return s
	}
	if len(n) >= maxNames {
		clear(n)
	}
	s := string(text)
	n[s] = s
	return s
}

// reader is what both decoders do with the values of a line.
type reader struct {
	clock   clock
	locks   names
	clients map[string]*writer
	finest  int8 // digits below the second that a line has had at most
}

// writer is a client, and how finely it writes times: a log may be put together from several.
type writer struct {
	name   string
	digits int8 // below the second, at most
}

func newReader(unit Unit) reader {
	return reader{clock: clock{unit: unit}, locks: names{}, clients: map[string]*writer{}}
}

func (r *reader) client(text []byte) *writer {
	if w := r.clients[string(text)]; w != nil {
		return w
	}
	if len(r.clients) >= maxNames {
		clear(r.clients)
	}
	w := &writer{name: string(text)}
	r.clients[w.name] = w
	return w
}

// fine is the power of ten, in nanoseconds, to which a client's times are cut off. Some formats leave zeros at
// the end away: so digits count in threes, as far as others of the log have them.
func (r *reader) fine(w *writer) int8 {
	w.digits = max(w.digits, r.clock.digits)
	r.finest = max(r.finest, w.digits)
	return 9 - max(w.digits, min((w.digits+2)/3*3, r.finest))
}

func (r *reader) event(f *fields, e *Event) (err error) {
	if e.Kind, err = kindOf(f.event); err != nil {
		return err
	}
	if e.At, err = r.clock.read(f.time); err != nil {
		return err
	}
	switch {
	case len(f.client) == 0:
		return errors.New("the client is missing")
	case len(f.lock) == 0 && e.Kind != Crashed:
		return errors.New("the lock is missing: only a client that has crashed may leave it out")
	case len(f.client) > maxName || len(f.lock) > maxName:
		return fmt.Errorf("a name is longer than %d bytes", maxName)
	}
	if e.Token, err = tokenOf(f.token); err != nil {
		return err
	}
	w := r.client(f.client)
	e.Client, e.Lock = w.name, ""
	if e.Kind == Crashed { // another one has written it
		w = &writer{}
	}
	e.Fine = r.fine(w)
	if len(f.lock) > 0 {
		e.Lock = r.locks.of(f.lock)
	}
	return nil
}

func kindOf(word []byte) (Kind, error) {
	switch string(word) {
	case "acquired":
		return Acquired, nil
	case "released":
		return Released, nil
	case "lost":
		return Lost, nil
	case "extended":
		return Extended, nil
	case "waiting":
		return Waiting, nil
	case "crashed":
		return Crashed, nil
	case "write":
		return Write, nil
	case "":
		return 0, errors.New("the event is missing")
	}
	return 0, fmt.Errorf("unknown event %s: there are acquired, released, lost, extended, waiting, crashed and write", shown(word))
}

func tokenOf(text []byte) (int64, error) {
	if len(text) == 0 {
		return NoToken, nil
	}
	n := int64(0)
	for _, d := range text {
		switch {
		case d < '0' || d > '9':
			return 0, fmt.Errorf("the token %s is no whole number from 0 on", shown(text))
		case n > (1<<63-1-9)/10:
			return 0, fmt.Errorf("the token %s is out of range: at most %d", shown(text), int64((1<<63-1-9)/10*10+9))
		}
		n = n*10 + int64(d-'0')
	}
	return n, nil
}

// readable refuses what no log has: it would make two names look like one, or end in the middle.
func readable(line []byte) error {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return fmt.Errorf("column %d: a NUL byte", i+1)
	}
	if !utf8.Valid(line) {
		return errors.New("it is not valid UTF-8")
	}
	return nil
}
