package history

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/zeebo/xxh3"

	"lockstep/internal/history/jsonline"
)

// meaningFields are the meaning of a request or an answer, on the line of its event. Invalid UTF-8
// in them is lost; the text of the event keeps it.
var meaningFields = []field[line]{
	optional(text, "op", func(l *line) *string { return &l.op.Name }).unhashed(),
	optional(boolean, "script", func(l *line) *bool { return &l.op.Script }).unhashed(),
	optional(boolean, "frees", func(l *line) *bool { return &l.op.Frees }).unhashed(),
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
	optional(boolean, "unable", func(l *line) *bool { return &l.answer.Unable }).unhashed(),
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

// mean sets the meaning of the line's text, as the history has it.
func (l *line) mean() {
	l.op, l.answer = Op{}, Answer{}
	switch l.Kind {
	case Sent:
		l.op = *l.h.Op(l.Text)
	case Executed, Replied:
		l.answer = *l.h.Answer(l.Text)
	}
}

// setMeaning sets the meaning of the line's text in the history.
func (l *line) setMeaning() {
	switch l.Kind {
	case Sent:
		l.h.SetOp(l.Text, l.op)
	case Executed, Replied:
		l.h.SetAnswer(l.Text, l.answer)
	}
}

// OperationsHash is a fingerprint of what Hash leaves out: the servers, and the meaning of each
// request and answer, in the order in which events first use their texts.
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

// unhashedHeader are the header fields that change verdicts or sentences, and that Hash leaves out.
var unhashedHeader = slices.DeleteFunc(slices.Clone(headerFields), func(f field[Header]) bool {
	return !slices.Contains([]string{"store", "topology", "expires", "at_once", "shards"}, f.name)
})
