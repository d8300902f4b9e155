package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// The limits of the stored form. They bound the memory that a hostile file costs to a small
// multiple of its size.
const (
	MaxLine   = 1 << 20    // bytes of one line
	MaxEvents = 20_000_000 // events of one history
	MaxNodes  = 5000       // nodes of one history

	// maxNanos bounds times and leases of either sign to 73 years, so that sums
	// and differences of a few of them fit into an int64.
	maxNanos = 1 << 61
)

// WriteJSONL stores histories as one JSON object per line: for each the header
// first, then one event per line, and last how many events these were and which
// of how many histories this is. A history that is not Whole gets no such end.
//
//	{"schema":2,"scenario":"...","lock":"...","seed":7,...}
//	{"true_us":12000.123,"node":"A","kind":"sent","client":"A","peer":"S","text":"GET lock","op":"GET","key":"lock","does":"asks"}
//	{"true_us":13001,"node":"S","kind":"executed","client":"A","peer":"A","cause":[0],"text":"(nil)","nil":true}
//	{"events":2,"history":1,"of":1}
//
// Without the end, a file that was cut between two lines would look whole, and the violation may
// have been in the missing part. It is no event, so it is in no hash. Only the backends of this
// program write it (Header.HasEnd): a log of production just stops.
//
// Times are microseconds with up to three decimals, written and parsed digit by digit, because a
// float64 cannot tell the nanoseconds of a year apart. Zero fields are left out. A cause is the
// index of an event, counted from 0: the number of its line minus two. The field client repeats
// node or peer, whichever is a client, for queries with jq.
//
// A request has an Op in addition to its text, and an answer an Answer.
//
// Control characters are escaped. A text that is not valid UTF-8, such as a binary reply, is stored
// as text_base64; names and the other strings of the header must be valid.
//
// A history that could not be read again is refused.
func WriteJSONL(w io.Writer, all ...*History) error {
	if len(all) > MaxHistories {
		return fmt.Errorf("write history: %d histories, at most %d can be stored", len(all), MaxHistories)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	for i, h := range all {
		if err := writeOne(out, h); err != nil {
			return fmt.Errorf("write history: %w", err)
		}
		if !h.Whole {
			continue
		}
		end := appendObject(nil, endingFields, &ending{len(h.Events), i + 1, len(all)})
		if _, err := out.Write(append(end, '\n')); err != nil {
			return fmt.Errorf("write history: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// writeOne writes a history without its end.
func writeOne(out *bufio.Writer, h *History) error {
	if err := checkHeader(&h.Header); err != nil {
		return err
	}
	if len(h.Events) > MaxEvents {
		return fmt.Errorf("%d events, at most %d can be stored", len(h.Events), MaxEvents)
	}
	raw := appendObject(nil, headerFields, &h.Header)
	if len(raw) > MaxLine {
		return fmt.Errorf("the header is longer than %d bytes", MaxLine)
	}
	l := lineOf(h)
	before := Instant(0)
	for i := range h.Events {
		if _, err := out.Write(append(raw, '\n')); err != nil {
			return err
		}
		err := checkEvent(h, &h.Events[i], i, before)
		if err == nil {
			raw = appendObject(raw[:0], eventFields, l.of(i))
			if len(raw) > MaxLine {
				err = fmt.Errorf("its line is longer than %d bytes", MaxLine)
			}
		}
		if err != nil {
			return fmt.Errorf("event %d: %w", i, err)
		}
		before = l.At
	}
	_, err := out.Write(append(raw, '\n'))
	return err
}

// lineOf returns a line to write events of a history with.
func lineOf(h *History) *line {
	l := &line{h: h, names: make([]string, len(h.Header.Nodes)+1), texts: make([]jsonText, max(len(h.texts), 1))}
	l.texts[0].json = `""`
	for i, n := range h.Header.Nodes {
		l.names[i+1] = string(appendString(nil, n.Name))
	}
	return l
}

// Line returns event i as it is stored, without its end of line; "" for an index outside the history.
func (h *History) Line(i int) string {
	if i < 0 || i >= len(h.Events) {
		return ""
	}
	return string(appendObject(nil, eventFields, lineOf(h).of(i)))
}

// of makes l the line of event i.
func (l *line) of(i int) *line {
	l.Event = l.h.Events[i]
	l.client = clientOf(l.h, &l.Event)
	l.mean()
	return l
}

// checkHeader says what is wrong with a header, to reader and writer.
func checkHeader(header *Header) error {
	switch header.Schema {
	case CurrentSchema:
	case 1:
		return errors.New("schema 1 is of an older lockstep, which stored requests as texts only: play the run again, with its seed")
	default:
		return fmt.Errorf("schema %d is not known here, only %d", header.Schema, CurrentSchema)
	}
	if len(header.Nodes) > MaxNodes {
		return fmt.Errorf("%d nodes, at most %d can be stored", len(header.Nodes), MaxNodes)
	}
	if header.Lease < 0 || header.Lease > maxNanos {
		return fmt.Errorf("a lease of %d ns is out of range", int64(header.Lease))
	}
	for _, s := range []string{header.Scenario, header.Lock, header.Backend, header.Fence} {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not valid UTF-8", s)
		}
	}
	if !isProduct(header.Store) {
		return fmt.Errorf("the store %q is no product's name: at most %d letters, digits, spaces, dots and dashes", header.Store, longestProduct)
	}
	if t := header.Topology; t != "" && t != "replicated" && t != "independent" && t != "quorum" {
		return fmt.Errorf("the topology %q is not known here: replicated, independent or quorum", t)
	}
	seen := make(map[string]bool, len(header.Nodes))
	for _, n := range header.Nodes {
		switch {
		case n.Name == "":
			return errors.New("a node has no name")
		case !utf8.ValidString(n.Name):
			return fmt.Errorf("the node name %q is not valid UTF-8", n.Name)
		case seen[n.Name]:
			return fmt.Errorf("two nodes are named %q", n.Name)
		}
		seen[n.Name] = true
		switch n.Role {
		case RoleClient, RoleProbe, RoleStore, RoleSentinel, RoleResource:
		default:
			return fmt.Errorf("node %q has the unknown role %q", n.Name, n.Role)
		}
	}
	number := 0
	for _, f := range header.Faults {
		if f.Number <= number {
			return fmt.Errorf("fault number %d follows %d: numbers start at 1 and increase",
				f.Number, number)
		}
		number = f.Number
		for _, text := range append(slices.Concat(f.Sides...), f.Verb, f.Text) {
			if !utf8.ValidString(text) {
				return fmt.Errorf("fault %d: %q: not valid UTF-8", f.Number, text)
			}
		}
		if err := f.Values.check(); err != nil {
			return fmt.Errorf("fault %d: %w", f.Number, err)
		}
	}
	for _, l := range header.Lines {
		if err := l.Values.check(); err != nil {
			return fmt.Errorf("line %d of the faults: %w", l.Number, err)
		}
	}
	return nil
}

func (v Values) check() error {
	if v != "" && (!utf8.ValidString(string(v)) || !json.Valid([]byte(v))) {
		return fmt.Errorf("its values are no JSON: %q", v)
	}
	return nil
}

// longestProduct is longer than the name of any store. The name is shown within sentences.
const longestProduct = 40

func isProduct(name string) bool {
	for _, c := range name {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == ' ' || c == '.' || c == '-') {
			return false
		}
	}
	return len(name) <= longestProduct
}

// checkEvent says what is wrong with event i, given the instant of the one before.
func checkEvent(h *History, e *Event, i int, before Instant) error {
	nodes := len(h.Header.Nodes)
	switch {
	case e.Kind == 0 || e.Kind >= kindCount:
		return fmt.Errorf("kind %d is not known", e.Kind)
	case e.At < 0 || e.At > maxNanos:
		return fmt.Errorf("the true time %d ns is out of range", int64(e.At))
	case e.At < before:
		return fmt.Errorf("true time goes back from %s to %s us",
			micros(int64(before)), micros(int64(e.At)))
	case e.Clock < -maxNanos || e.Clock > maxNanos:
		return fmt.Errorf("the clock %d ns is out of range", e.Clock)
	case int(e.Node) > nodes || int(e.Peer) > nodes || int(e.Owner) > nodes:
		return fmt.Errorf("a node is not among the %d of the header", nodes)
	case e.Cause < NoCause || int(e.Cause) >= i:
		return fmt.Errorf("the cause %d does not point to an earlier event than %d", e.Cause, i)
	case e.Kind.ofFault() && h.Header.HasEnd() && !slices.ContainsFunc(h.Header.Faults, func(f Fault) bool { return int64(f.Number) == e.Value }):
		return fmt.Errorf("fault %d is not among the %d of the header", e.Value, len(h.Header.Faults))
	}
	return nil
}

// clientOf returns the client that an event is about: its node or its peer.
func clientOf(h *History, e *Event) NodeID {
	for _, id := range [2]NodeID{e.Node, e.Peer} {
		if role := h.Role(id); role == RoleClient || role == RoleProbe {
			return id
		}
	}
	return 0
}

// appendMicros appends nanoseconds as microseconds with up to three decimals.
func appendMicros(b []byte, nanos int64) []byte {
	if nanos < 0 {
		b, nanos = append(b, '-'), -nanos
	}
	b = strconv.AppendInt(b, nanos/1000, 10)
	rest := nanos % 1000
	if rest == 0 {
		return b
	}
	b = append(b, '.', byte('0'+rest/100))
	if rest%100 != 0 {
		b = append(b, byte('0'+rest/10%10))
	}
	if rest%10 != 0 {
		b = append(b, byte('0'+rest%10))
	}
	return b
}

func micros(nanos int64) string { return string(appendMicros(nil, nanos)) }

const hexDigits = "0123456789abcdef"

// appendString appends valid UTF-8 as a JSON string. It escapes every rune that is not printable:
// controls of both blocks (U+009B starts a terminal escape, as ESC does), line separators, marks
// that reverse the text.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		if r == '"' || r == '\\' {
			b = append(b, '\\')
		}
		b = appendRune(b, r)
	}
	return append(b, '"')
}

// appendValues appends values on one line.
func appendValues(b []byte, v Values) []byte {
	var line bytes.Buffer
	_ = json.Compact(&line, []byte(v)) // they are JSON: see check
	for _, r := range line.String() {
		b = appendRune(b, r)
	}
	return b
}

func appendRune(b []byte, r rune) []byte {
	switch {
	case r >= ' ' && r < utf8.RuneSelf && r != 0x7f:
		return append(b, byte(r))
	case r >= utf8.RuneSelf && unicode.IsPrint(r):
		return utf8.AppendRune(b, r)
	case r < 0x10000:
		return appendEscape(b, r)
	}
	return appendEscape(appendEscape(b, 0xd800+(r-0x10000)>>10), 0xdc00+(r-0x10000)&0x3ff)
}

func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u',
		hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
