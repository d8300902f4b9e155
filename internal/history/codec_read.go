package history

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
	"unicode/utf8"

	"lockstep/internal/history/jsonline"
)

// ReadJSONL reads what WriteJSONL wrote. It checks everything that the rest of
// the program relies on, because a stored history may come from anywhere: times
// must not decrease, causes must point backwards, kinds and names must be known.
// Fields that it does not know are skipped, so that later versions may add some.
// Errors name the line.
func ReadJSONL(r io.Reader) (*History, error) {
	all, err := readJSONL(r, 1)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ReadAllJSONL reads histories that stand one after the other in one file, each
// with its header, as the file of a run with several locks does.
func ReadAllJSONL(r io.Reader) ([]*History, error) { return readJSONL(r, MaxHistories) }

// MaxHistories is how many histories a file may hold.
const MaxHistories = 1000

func readJSONL(r io.Reader, limit int) ([]*History, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), MaxLine+2)
	var all []*History
	var d decoder
	line := 0
	for in.Scan() {
		line++
		err := error(nil)
		switch raw := in.Bytes(); {
		case line == 1 || len(all) < limit && bytes.HasPrefix(raw, headerStart):
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
	seen   uint16 // fields of the present line, see field
	of     int    // histories that the file says it has; 0 before the first end
}

func (d *decoder) start(line []byte) error {
	if len(line) > MaxLine {
		return bufio.ErrTooLong
	}
	if !utf8.Valid(line) {
		return errors.New("it is not valid UTF-8")
	}
	d.scan.Reset(line)
	d.seen = 0
	return nil
}

func (d *decoder) header(line []byte) error {
	if err := d.start(line); err != nil {
		return err
	}
	var header Header
	s := &d.scan
	err := s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "schema":
			header.Schema, err = s.Small()
		case "scenario":
			header.Scenario, err = s.Text()
		case "lock":
			header.Lock, err = s.Text()
		case "seed":
			header.Seed, err = s.Unsigned()
		case "backend":
			header.Backend, err = s.Text()
		case "scale_ppm":
			header.ScalePPM, err = s.Integer()
		case "lease_ns":
			var ns int64
			ns, err = s.Integer()
			header.Lease = time.Duration(ns)
		case "fence":
			header.Fence, err = s.Text()
		case "nodes":
			header.Nodes, err = d.nodeList()
		case "faults":
			header.Faults, err = d.faultList()
		case "drawn":
			header.Drawn, err = s.Boolean()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	if err == nil {
		err = checkHeader(&header)
	}
	if err != nil {
		return err
	}
	d.h = New(header)
	d.nodes = make(map[string]NodeID, len(header.Nodes))
	for i, n := range header.Nodes {
		d.nodes[n.Name] = NodeID(i + 1)
	}
	return nil
}

func (d *decoder) nodeList() (nodes []Node, err error) {
	s := &d.scan
	err = s.Array(func() error {
		if len(nodes) == MaxNodes {
			return fmt.Errorf("more than %d nodes", MaxNodes)
		}
		var n Node
		err := s.Object(func(key []byte) (err error) {
			switch string(key) {
			case "name":
				n.Name, err = s.Text()
			case "role":
				var role string
				role, err = s.Text()
				n.Role = Role(role)
			default:
				err = s.Skip()
			}
			return err
		})
		nodes = append(nodes, n)
		return err
	})
	return nodes, err
}

func (d *decoder) faultList() (faults []Fault, err error) {
	s := &d.scan
	err = s.Array(func() error {
		var f Fault
		err := s.Object(func(key []byte) (err error) {
			switch string(key) {
			case "number":
				f.Number, err = s.Small()
			case "verb":
				f.Verb, err = s.Text()
			case "text":
				f.Text, err = s.Text()
			case "deed":
				f.Deed, err = s.Text()
			case "text_zh":
				f.TextChinese, err = s.Text()
			case "deed_zh":
				f.DeedChinese, err = s.Text()
			default:
				err = s.Skip()
			}
			return err
		})
		faults = append(faults, f)
		return err
	})
	return faults, err
}

// The fields of an event, as bits of decoder.seen.
const (
	fieldTrue = 1 << iota
	fieldClock
	fieldNode
	fieldKind
	fieldClient
	fieldPeer
	fieldOwner
	fieldToken
	fieldValue
	fieldCause
	fieldText
)

func (d *decoder) event(line []byte) error {
	if d.h.Whole {
		return errors.New("an event behind the end of the history")
	}
	if len(d.h.Events) == MaxEvents {
		return fmt.Errorf("more than %d events", MaxEvents)
	}
	if err := d.start(line); err != nil {
		return err
	}
	e := Event{Cause: NoCause}
	client := NodeID(0)
	s := &d.scan
	if err := s.Object(func(key []byte) error { return d.field(&e, &client, key) }); err != nil {
		return err
	}
	if err := s.End(); err != nil {
		return err
	}
	switch {
	case d.seen&fieldTrue == 0:
		return errors.New("true_us is missing")
	case d.seen&fieldKind == 0:
		return errors.New("kind is missing")
	case d.seen&fieldClient != 0 && client != clientOf(d.h, &e):
		return fmt.Errorf("client is %q, but node and peer say %q",
			d.h.Name(client), d.h.Name(clientOf(d.h, &e)))
	}
	if err := checkEvent(d.h, &e, len(d.h.Events), d.before); err != nil {
		return err
	}
	d.before = e.At
	d.h.Add(e)
	return nil
}

// field reads the value of one field of an event. A field that stands there
// twice is an error: readers that disagree about which one counts would see
// different histories.
func (d *decoder) field(e *Event, client *NodeID, key []byte) (err error) {
	s := &d.scan
	bit := uint16(0)
	switch string(key) {
	case "true_us":
		bit = fieldTrue
		var ns int64
		ns, err = s.Micros(maxNanos)
		e.At = Instant(ns)
	case "clock_us":
		bit = fieldClock
		e.Clock, err = s.Micros(maxNanos)
	case "node":
		bit = fieldNode
		e.Node, err = d.node()
	case "kind":
		bit = fieldKind
		e.Kind, err = d.kind()
	case "client":
		bit = fieldClient
		*client, err = d.node()
	case "peer":
		bit = fieldPeer
		e.Peer, err = d.node()
	case "owner":
		bit = fieldOwner
		e.Owner, err = d.node()
	case "token":
		bit = fieldToken
		e.Token, err = s.Integer()
	case "value":
		bit = fieldValue
		e.Value, err = s.Integer()
	case "cause":
		bit = fieldCause
		e.Cause, err = d.cause()
	case "text":
		bit = fieldText
		e.Text, err = d.text()
	case "text_base64":
		bit = fieldText
		e.Text, err = d.binaryText()
	default:
		return s.Skip()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if d.seen&bit != 0 {
		return fmt.Errorf("%s stands there twice", key)
	}
	d.seen |= bit
	return nil
}

func (d *decoder) node() (NodeID, error) {
	name, err := d.scan.Bytes()
	if err != nil {
		return 0, err
	}
	id, ok := d.nodes[string(name)]
	if !ok {
		return 0, fmt.Errorf("the header has no node %q", name)
	}
	return id, nil
}

func (d *decoder) kind() (Kind, error) {
	name, err := d.scan.Bytes()
	if err != nil {
		return 0, err
	}
	kind, ok := kinds[string(name)]
	if !ok {
		return 0, fmt.Errorf("unknown kind %q", name)
	}
	return kind, nil
}

func (d *decoder) cause() (int32, error) {
	cause, n := int64(NoCause), 0
	err := d.scan.Array(func() (err error) {
		if n++; n > 1 {
			return errors.New("more than one cause")
		}
		cause, err = d.scan.Integer()
		if err == nil && (cause < 0 || cause > math.MaxInt32) {
			err = fmt.Errorf("%d is not the index of an event", cause)
		}
		return err
	})
	return int32(cause), err
}

func (d *decoder) text() (TextID, error) {
	raw, err := d.scan.Bytes()
	if err != nil {
		return 0, err
	}
	return d.intern(raw), nil
}

func (d *decoder) binaryText() (TextID, error) {
	raw, err := d.scan.Bytes()
	if err != nil {
		return 0, err
	}
	text, err := base64.StdEncoding.Strict().DecodeString(string(raw))
	if err != nil {
		return 0, err
	}
	return d.intern(text), nil
}

// intern is Intern without making a string of a text that is known already.
func (d *decoder) intern(text []byte) TextID {
	if id, ok := d.h.ids[string(text)]; ok {
		return id
	}
	return d.h.Intern(string(text))
}
