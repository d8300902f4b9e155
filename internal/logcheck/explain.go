package logcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"lockstep/internal/logcheck/logline"
)

// Explanation shows how a log is read: what was found out, and what becomes of the first lines.
type Explanation struct {
	Format string // csv, json, text, monitor, or the preset
	Reads  []logline.Read
	Lines  []Explained
	Err    error // why no line can be read; nil otherwise
	Unit   Unit
	Other  int64 // lines about something else that are not among them
}

// Explained is a line, and what it is read as.
type Explained struct {
	Number int64
	Text   string
	Events []Event
	Err    error // why there is none: logline.ErrOther, logline.ErrUnread, or what is wrong with it
}

// Says are the events of the line, one by one.
func (x *Explained) Says(unit Unit) (all []string) {
	for _, e := range x.Events {
		values := []string{unit.At(e.At), e.Client, e.Lock, e.Kind.String()}
		if e.Token != NoToken {
			values = append(values, fmt.Sprintf("token=%d", e.Token))
		}
		if e.Shared {
			values = append(values, "shared")
		}
		if e.Lease > 0 {
			values = append(values, "lease="+e.Lease.String())
		}
		if line := lineOf(e.Line); line != x.Number {
			values = append(values, fmt.Sprintf("(line %d)", line))
		}
		all = append(all, strings.Join(values, "  "))
	}
	return all
}

// Limits of an explanation: some lines of each kind, among so many at the beginning.
const (
	explainedEvents = 8
	explainedOthers = 3
	explainedUnread = 8
	explainedLines  = 1_000_000
)

// Explain reads the first lines of a log, and judges nothing.
func Explain(ctx context.Context, o Options, s Source) (*Explanation, error) {
	l := newLog(ctx, o, []Source{s})
	if err := l.open(s.In); err != nil {
		return nil, err
	}
	x := &Explanation{}
	var events []Event
	l.take = func(e *Event) error {
		events = append(events, *e)
		return nil
	}
	some, others, unread := 0, 0, 0
	for n := 0; some < explainedEvents && unread < explainedUnread && n < explainedLines; n++ {
		events = nil
		line, err := l.lines.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = l.decode(line)
		} else if !errors.Is(err, errLong) {
			return nil, err
		}
		if stop := l.interrupted(l.lines.number); stop != nil {
			return nil, stop
		}
		switch {
		case len(events) > 0:
			some++
		case errors.Is(err, logline.ErrOther) || err == nil:
			if others++; others > explainedOthers {
				x.Other++
				continue
			}
		default:
			unread++
		}
		if len(line) > 0 || err != nil {
			x.Lines = append(x.Lines, Explained{l.lines.number, cutText(line), events, err})
		}
		if l.decoder == nil && err != nil {
			x.Err = err
			break
		}
	}
	if l.decoder != nil {
		x.Reads, x.Unit, x.Format = l.decoder.Reads(), l.judge.unit, l.said()
	}
	return x, nil
}

// cutText is what is shown of a line that is explained.
func cutText(line []byte) string {
	const most = 500
	if len(line) <= most {
		return string(line)
	}
	return strings.ToValidUTF8(string(line[:most]), "") + "..."
}

// cut is a piece of a log: quoted, and no longer than that.
func cut(text []byte, most int) string {
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return fmt.Sprintf("%q...", text[:most])
}

// shownLine is a line in a hint.
func shownLine(line []byte) string { return cut(line, 120) }
