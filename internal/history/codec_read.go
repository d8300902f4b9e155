package history

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"lockstep/internal/history/jsonline"
)

// MaxHistories is how many histories a file may hold.
const MaxHistories = 1000

// ReadAllJSONL reads what WriteJSONL wrote: histories that stand one after the other in one
// file, each with its header. It checks everything that the rest of the program relies on,
// because a stored history may come from anywhere: times must not decrease, causes must point
// backwards, kinds and names must be known. Fields that it does not know are skipped, so that
// later versions may add some. Errors name the line.
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

// IsHistory reports whether a file that begins so is a stored history.
func IsHistory(start []byte) bool { return bytes.HasPrefix(start, headerStart) }

// headerStart is how WriteJSONL begins a header; no event begins like it.
var headerStart = []byte(`{"schema":`)

// LineError says what is wrong with a line of a stored history, or why it could
// not be read.
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
	line   line // the present one, if it is that of an event
	of     int  // histories that the file says it has; 0 before the first end
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
	header.knowServers()
	d.h = New(header)
	d.h.typed = header.Schema == firstSchema
	d.nodes = make(map[string]NodeID, len(header.Nodes))
	for i, n := range header.Nodes {
		d.nodes[n.Name] = NodeID(i + 1)
	}
	return nil
}

// formerServers are the servers of histories whose header does not say what they are, by the beginnings of
// their names.
var formerServers = map[string]Header{
	"redis":    {Store: "Redis", Topology: "replicated", Expires: true, AtOnce: true},
	"etcd":     {Store: "etcd", Topology: "quorum"},
	"zk":       {Store: "ZooKeeper", Topology: "quorum"},
	"consul":   {Store: "Consul", Topology: "quorum"},
	"mysql":    {Store: "MySQL", Topology: "replicated"},
	"postgres": {Store: "PostgreSQL", Topology: "replicated"},
}

// knowServers adds what histories did not say that were stored before the header had it.
func (h *Header) knowServers() {
	if h.Topology != "" || !h.HasEnd() {
		return
	}
	for _, n := range h.Nodes {
		if word, _, _ := strings.Cut(n.Name, "-"); n.Role == RoleStore {
			of := formerServers[word]
			h.Store, h.Topology, h.Expires, h.AtOnce = of.Store, of.Topology, of.Expires, of.AtOnce
			return
		}
	}
}

func (d *decoder) event(raw []byte) error {
	if d.h.Whole {
		return errors.New("an event behind the end of the history")
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
	l.tell()
	d.h.Add(l.Event)
	return nil
}
