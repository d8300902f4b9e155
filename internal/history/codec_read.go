package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"lockstep/internal/history/jsonline"
)

// MaxHistories is how many histories a file may hold.
const MaxHistories = 1000

// ReadAllJSONL reads the histories that WriteJSONL wrote. A stored history may come from anywhere,
// so everything that the program relies on is checked: times must not decrease, causes must point
// backwards, kinds and names must be known. Unknown fields are skipped, so that later versions may
// add some. Errors are LineErrors.
func ReadAllJSONL(r io.Reader) ([]*History, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), MaxLine+2)
	var all []*History
	var d decoder
	line := 0
	for in.Scan() {
		line++
		err := error(nil)
		switch raw := in.Bytes(); {
		case line == 1 || len(all) < MaxHistories && bytes.HasPrefix(raw, headerStart):
			d = decoder{of: d.of}
			if err = d.header(raw); err == nil {
				all = append(all, d.h)
			}
		case bytes.HasPrefix(raw, endStart):
			err = d.end(raw, len(all))
		default:
			err = d.event(raw)
		}
		if err != nil {
			return nil, readError(line, err)
		}
	}
	switch err := in.Err(); {
	case err != nil:
		return nil, readError(line+1, err)
	case line == 0:
		return nil, readError(1, errors.New("the file is empty, it should start with a header"))
	case len(all) < d.of:
		return nil, readError(line, fmt.Errorf("the file ends after %d of %d histories: the rest is missing", len(all), d.of))
	}
	return all, nil
}

// IsHistory reports whether a file is a stored history, by its first bytes.
func IsHistory(start []byte) bool { return bytes.HasPrefix(start, headerStart) }

// headerStart is how WriteJSONL begins a header; no event begins like it.
var headerStart = []byte(`{"schema":`)

// LineError says what is wrong with a line of a stored history.
type LineError struct {
	Line int // counted from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("read history: line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

func readError(line int, err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("it is longer than %d bytes", MaxLine)
	}
	return &LineError{line, err}
}

// decoder builds a history line by line.
type decoder struct {
	h      *History
	nodes  map[string]NodeID
	before Instant
	scan   jsonline.Scanner
	line   line // of the current event
	of     int  // how many histories the file announces; 0 before the first end
}

func (d *decoder) start(line []byte) error {
	if len(line) > MaxLine {
		return bufio.ErrTooLong
	}
	if !utf8.Valid(line) {
		return errors.New("it is not valid UTF-8")
	}
	d.scan.Reset(line)
	return nil
}

func (d *decoder) header(line []byte) error {
	if err := d.start(line); err != nil {
		return err
	}
	var header Header
	if err := readLine(&d.scan, headerFields, &header); err != nil {
		return err
	}
	if err := checkHeader(&header); err != nil {
		return err
	}
	d.h = New(header)
	d.nodes = make(map[string]NodeID, len(header.Nodes))
	for i, n := range header.Nodes {
		d.nodes[n.Name] = NodeID(i + 1)
	}
	return nil
}

func (d *decoder) event(raw []byte) error {
	if d.h.Whole {
		return errors.New("an event after the end of the history")
	}
	if len(d.h.Events) == MaxEvents {
		return fmt.Errorf("more than %d events", MaxEvents)
	}
	if err := d.start(raw); err != nil {
		return err
	}
	l := &d.line
	*l = line{Event: Event{Cause: NoCause}, h: d.h, nodes: d.nodes}
	if err := readLine(&d.scan, eventFields, l); err != nil {
		return err
	}
	if client := clientOf(d.h, &l.Event); l.said && l.client != client {
		return fmt.Errorf("client is %q, but node and peer say %q", d.h.Name(l.client), d.h.Name(client))
	}
	if err := checkEvent(d.h, &l.Event, len(d.h.Events), d.before); err != nil {
		return err
	}
	d.before = l.At
	l.setMeaning()
	d.h.Add(l.Event)
	return nil
}

// endStart is how WriteJSONL begins the line after the last event.
var endStart = []byte(`{"events":`)

// end reads the line after the last event of the file's history with that number, and checks that
// no event is missing.
func (d *decoder) end(line []byte, number int) error {
	if err := d.start(line); err != nil {
		return err
	}
	var e ending
	err := readLine(&d.scan, endingFields, &e)
	switch {
	case err != nil:
		return err
	case d.h.Whole:
		return errors.New("the history has ended already")
	case e.events != len(d.h.Events):
		return fmt.Errorf("%d events should stand before this line, and there are %d: the file was changed", e.events, len(d.h.Events))
	case e.history != number || e.of < number || d.of != 0 && e.of != d.of:
		return fmt.Errorf("this should be the end of history %d of %d, and it is that of history %d of the file: the file was changed", e.history, e.of, number)
	}
	d.h.Whole, d.of = true, e.of
	return nil
}
