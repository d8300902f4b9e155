package history

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/zeebo/xxh3"

	"lockstep/internal/history/jsonline"
)

// meaningFields are what a request or an answer means, on the line of its event. Texts in them that are no
// UTF-8 lose what is none: the text of the event has it all.
var meaningFields = []field[line]{
	optional(text, "op", func(l *line) *string { return &l.op.Name }).unhashed(),
	optional(boolean, "script", func(l *line) *bool { return &l.op.Script }).unhashed(),
	optional(text, "trigger", func(l *line) *string { return &l.op.Trigger }).unhashed(),
	optional(text, "key", func(l *line) *string { return &l.op.Key }).unhashed(),
	doesField,
	optional(text, "word", func(l *line) *string { return &l.op.Owner }).unhashed(),
	optional(integer, "lease_ns", func(l *line) *time.Duration { return &l.op.Lease }).unhashed(),
	optional(boolean, "blocks", func(l *line) *bool { return &l.op.Blocks }).unhashed(),
	optional(boolean, "watches", func(l *line) *bool { return &l.op.Watches }).unhashed(),
	optional(boolean, "checks", func(l *line) *bool { return &l.op.Checks }).unhashed(),
	optional(boolean, "bound", func(l *line) *bool { return &l.op.Bound }).unhashed(),
	optional(text, "refused", func(l *line) *string { return &l.answer.Refused }).unhashed(),
	optional(boolean, "redirected", func(l *line) *bool { return &l.answer.Redirected }).unhashed(),
	optional(boolean, "nil", func(l *line) *bool { return &l.answer.Nil }).unhashed(),
	numberField,
	optional(integer, "revision", func(l *line) *int64 { return &l.answer.Revision }).unhashed(),
	optional(text, "session", func(l *line) *string { return &l.answer.Session }).unhashed(),
}

var doesField = field[line]{
	name:  "does",
	empty: func(l *line) bool { return l.op.Does == Anything },
	write: func(b []byte, l *line) []byte { return appendString(b, l.op.Does.String()) },
	read: func(s *jsonline.Scanner, l *line) error {
		name, err := s.Bytes()
		if err != nil {
			return err
		}
		i := slices.Index(effectNames[:], string(name))
		if i < 0 {
			return fmt.Errorf("no request does %q", name)
		}
		l.op.Does = Effect(i)
		return nil
	},
}

var numberField = field[line]{
	name:  "number",
	empty: func(l *line) bool { return !l.answer.Numeric },
	write: func(b []byte, l *line) []byte { return strconv.AppendInt(b, l.answer.Number, 10) },
	read: func(s *jsonline.Scanner, l *line) (err error) {
		l.answer.Number, err = s.Integer()
		l.answer.Numeric = true
		return err
	},
}

// mean makes what the event's text means that of the line.
func (l *line) mean() {
	l.op, l.answer = Op{}, Answer{}
	switch l.Kind {
	case Sent:
		l.op = *l.h.Op(l.Text)
	case Executed, Replied:
		l.answer = *l.h.Answer(l.Text)
	}
}

// tell tells the history what the text of the line means, unless it is to find out by itself.
func (l *line) tell() {
	switch {
	case l.h.typed:
	case l.Kind == Sent:
		l.h.SetOp(l.Text, l.op)
	case l.Kind == Executed, l.Kind == Replied:
		l.h.SetAnswer(l.Text, l.answer)
	}
}

// OperationsHash is a fingerprint of what Hash leaves out: what the servers are, what each request is and what each
// answer says, in the order in which events use their texts.
func (h *History) OperationsHash() string {
	b := appendObject(nil, unhashedHeader, &h.Header)
	seen := make([]bool, 2*len(h.texts))
	l := line{h: h}
	for i := range h.Events {
		l.Event = h.Events[i]
		slot := 2 * int(l.Text)
		if l.Kind != Sent {
			slot++
		}
		if !l.Kind.OnWire() || slot >= len(seen) || seen[slot] {
			continue
		}
		seen[slot] = true
		l.mean()
		b = appendObject(b, meaningFields, &l)
	}
	return Hash(xxh3.Hash128(b).Bytes()).String()
}

// unhashedHeader are the fields of a header by which verdicts or sentences change, and which Hash leaves out.
var unhashedHeader = headerFieldsNamed("store", "topology", "expires", "at_once")

func headerFieldsNamed(names ...string) (out []field[Header]) {
	for _, f := range headerFields {
		if slices.Contains(names, f.name) {
			out = append(out, f)
		}
	}
	return out
}
