package history

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"lockstep/internal/history/jsonline"
)

// headerFields are those of the line that begins a history. The hash leaves out the schema, and
// what only repeats other fields in other words.
var headerFields = []field[Header]{
	small("schema", func(h *Header) *int { return &h.Schema }).unhashed(),
	text("scenario", func(h *Header) *string { return &h.Scenario }),
	text("lock", func(h *Header) *string { return &h.Lock }),
	unsigned("seed", func(h *Header) *uint64 { return &h.Seed }),
	text("backend", func(h *Header) *string { return &h.Backend }),
	integer("scale_ppm", func(h *Header) *int64 { return &h.ScalePPM }),
	integer("lease_ns", func(h *Header) *time.Duration { return &h.Lease }),
	text("fence", func(h *Header) *string { return &h.Fence }),
	list("nodes", MaxNodes, nodeFields, func(h *Header) *[]Node { return &h.Nodes }),
	list("faults", 0, faultFields, func(h *Header) *[]Fault { return &h.Faults }),
	optional(text, "store", func(h *Header) *string { return &h.Store }).unhashed(),
	optional(text, "topology", func(h *Header) *string { return &h.Topology }).unhashed(),
	optional(boolean, "expires", func(h *Header) *bool { return &h.Expires }).unhashed(),
	optional(boolean, "at_once", func(h *Header) *bool { return &h.AtOnce }).unhashed(),
	optional(small, "shards", func(h *Header) *int { return &h.Shards }).unhashed(),
	optional(boolean, "drawn", func(h *Header) *bool { return &h.Drawn }).unhashed(),
	optional(text, "entry", func(h *Header) *Watched { return &h.Entry }).unhashed(),
	optional(text, "keys", func(h *Header) *string { return &h.Keys }).unhashed(),
	optional(text, "alone", func(h *Header) *string { return &h.Alone }).unhashed(),
	optional(integer, "alone_ns", func(h *Header) *Instant { return &h.AloneAt }).unhashed(),
	linesField,
	optional(text, "asked", func(h *Header) *string { return &h.Asked }).unhashed(),
}

var linesField = func() field[Header] {
	f := list("lines", 0, lineFields, func(h *Header) *[]Line { return &h.Lines }).unhashed()
	f.empty = func(h *Header) bool { return len(h.Lines) == 0 }
	return f
}()

var lineFields = []field[Line]{
	small("number", func(l *Line) *int { return &l.Number }),
	text("text", func(l *Line) *string { return &l.Text }),
	optional(values, "values", func(l *Line) *Values { return &l.Values }),
}

var nodeFields = []field[Node]{
	text("name", func(n *Node) *string { return &n.Name }),
	text("role", func(n *Node) *Role { return &n.Role }),
}

var faultFields = []field[Fault]{
	small("number", func(f *Fault) *int { return &f.Number }),
	text("verb", func(f *Fault) *string { return &f.Verb }),
	text("text", func(f *Fault) *string { return &f.Text }),
	optional(values, "values", func(f *Fault) *Values { return &f.Values }),
	optional(boolean, "drawn", func(f *Fault) *bool { return &f.Drawn }).unhashed(),
	optional(small, "line", func(f *Fault) *int { return &f.Line }).unhashed(),
	sidesField,
}

func values[T any](name string, at func(*T) *Values) field[T] {
	return scalar(name, at, appendValues,
		func(s *jsonline.Scanner) (Values, error) { json, err := s.Raw(); return Values(json), err }, nil)
}

var sidesField = field[Fault]{
	name:  "sides",
	empty: func(f *Fault) bool { return len(f.Sides) == 0 },
	write: func(b []byte, f *Fault) []byte {
		for i, side := range f.Sides {
			b = append(b, "[,"[min(i, 1)], '[')
			for k, name := range side {
				if k > 0 {
					b = append(b, ',')
				}
				b = appendString(b, name)
			}
			b = append(b, ']')
		}
		return append(b, ']')
	},
	read: func(s *jsonline.Scanner, f *Fault) error {
		return s.Array(func() error {
			var side []string
			err := s.Array(func() error {
				name, err := s.Bytes()
				side = append(side, string(name))
				return err
			})
			f.Sides = append(f.Sides, side)
			return err
		})
	},
}

// ending is the line after the last event.
type ending struct{ events, history, of int }

var endingFields = []field[ending]{
	small("events", func(e *ending) *int { return &e.events }),
	small("history", func(e *ending) *int { return &e.history }),
	small("of", func(e *ending) *int { return &e.of }),
}

// line is an event to be written or read.
type line struct {
	Event
	h      *History
	names  []string          // as JSON, by NodeID; to write
	texts  []jsonText        // by TextID; to write
	nodes  map[string]NodeID // to read
	client NodeID            // see clientOf
	said   bool              // the line read names the client
	op     Op                // of a request
	answer Answer            // of an answer
}

// eventFields are those of an event. hashWriter.events hashes them, and leaves out the meanings of
// requests and answers, which their texts imply.
var eventFields = append([]field[line]{
	microseconds("true_us", func(l *line) *Instant { return &l.At }).called("true time").demanded(),
	optional(microseconds, "clock_us", func(l *line) *int64 { return &l.Clock }).called("clock"),
	optional(node, "node", func(l *line) *NodeID { return &l.Node }),
	kindField.demanded(),
	clientField,
	optional(node, "peer", func(l *line) *NodeID { return &l.Peer }),
	optional(node, "owner", func(l *line) *NodeID { return &l.Owner }),
	optional(integer, "token", func(l *line) *int64 { return &l.Token }),
	optional(integer, "value", func(l *line) *int64 { return &l.Value }),
	causeField,
	textField,
	binaryField,
}, meaningFields...)

func microseconds[N ~int64](name string, at func(*line) *N) field[line] {
	return scalar(name, at,
		func(b []byte, ns N) []byte { return appendMicros(b, int64(ns)) },
		func(s *jsonline.Scanner) (N, error) { ns, err := s.Micros(maxNanos); return N(ns), err }, nil)
}

func node(name string, at func(*line) *NodeID) field[line] {
	return field[line]{
		name: name, words: name,
		write: func(b []byte, l *line) []byte { return append(b, l.names[*at(l)]...) },
		read: func(s *jsonline.Scanner, l *line) error {
			name, err := s.Bytes()
			if err != nil {
				return err
			}
			id, ok := l.nodes[string(name)]
			if !ok {
				return fmt.Errorf("the header has no node %q", name)
			}
			*at(l) = id
			return nil
		},
	}
}

// clientField repeats node or peer, whichever is a client.
var clientField = field[line]{
	name:  "client",
	empty: func(l *line) bool { return l.client == 0 },
	write: func(b []byte, l *line) []byte { return append(b, l.names[l.client]...) },
	read: func(s *jsonline.Scanner, l *line) error {
		l.said = true
		return node("", func(l *line) *NodeID { return &l.client }).read(s, l)
	},
}

var kindField = field[line]{
	name: "kind", words: "kind",
	write: func(b []byte, l *line) []byte { return append(append(append(b, '"'), kindNames[l.Kind]...), '"') },
	read: func(s *jsonline.Scanner, l *line) error {
		name, err := s.Bytes()
		if err != nil {
			return err
		}
		known := false
		if l.Kind, known = kinds[string(name)]; !known {
			return fmt.Errorf("unknown kind %q", name)
		}
		return nil
	},
}

var causeField = field[line]{
	name: "cause", words: "cause",
	empty: func(l *line) bool { return l.Cause == NoCause },
	write: func(b []byte, l *line) []byte {
		return append(strconv.AppendInt(append(b, '['), int64(l.Cause), 10), ']')
	},
	read: func(s *jsonline.Scanner, l *line) error {
		n := 0
		return s.Array(func() error {
			if n++; n > 1 {
				return errors.New("more than one cause")
			}
			cause, err := s.Integer()
			if err == nil && (cause < 0 || cause > math.MaxInt32) {
				err = fmt.Errorf("%d is not the index of an event", cause)
			}
			l.Cause = int32(cause)
			return err
		})
	},
}

// jsonText is a text as JSON: "" until the first event with that text is written.
type jsonText struct {
	json   string
	binary bool
}

// text returns the stored form of the event's text, made once for all events that have it.
func (l *line) text() *jsonText {
	if int(l.Text) >= len(l.texts) {
		return &l.texts[0]
	}
	t := &l.texts[l.Text]
	if t.json == "" {
		text := l.h.Text(l.Text)
		if t.binary = !utf8.ValidString(text); t.binary {
			t.json = `"` + base64.StdEncoding.EncodeToString([]byte(text)) + `"`
		} else {
			t.json = string(appendString(nil, text))
		}
	}
	return t
}

// stored is the field of the event's text, for binary texts or for the others.
func stored(name string, binary bool, read func(s *jsonline.Scanner, l *line) error) field[line] {
	return field[line]{
		name: name, words: "text", same: binary, read: read,
		empty: func(l *line) bool { t := l.text(); return t.binary != binary || t.json == `""` },
		write: func(b []byte, l *line) []byte { return append(b, l.text().json...) },
	}
}

// A text that is not valid UTF-8 is stored in base64.
var (
	textField = stored("text", false, func(s *jsonline.Scanner, l *line) error {
		raw, err := s.Bytes()
		l.Text = l.h.InternBytes(raw)
		return err
	})
	binaryField = stored("text_base64", true, func(s *jsonline.Scanner, l *line) error {
		raw, err := s.Bytes()
		if err != nil {
			return err
		}
		binary, err := base64.StdEncoding.Strict().DecodeString(string(raw))
		l.Text = l.h.InternBytes(binary)
		return err
	})
)
