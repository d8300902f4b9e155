package logcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"lockstep/internal/logcheck/logline"
)

// Explanation shows how a log is read: the detected format, and the events of the first lines.
type Explanation struct {
	Format string // csv, json, text, monitor, or the preset
	Reads  []logline.Read
	Lines  []Explained
	Err    error // why no line can be read; nil otherwise
	Unit   Unit
	Other  int64 // lines about something else that are not among them
}

// Explained is a line with its events.
type Explained struct {
	Number int64
	Text   string
	Events []Event
	Err    error // why it has none: logline.ErrOther, logline.ErrUnread, or another error
}

// Says describes the events of the line, one by one.
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

// Limits of an explanation: lines of each kind, among the first explainedLines.
const (
	explainedEvents = 8
	explainedOthers = 3
	explainedUnread = 8
	explainedLines  = 1_000_000
)

// Explain reads the first lines of a log without judging them.
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
		if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
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
		x.Reads, x.Unit, x.Format = l.decoder.Reads(), l.judge.unit, l.formatName()
	}
	return x, nil
}

func cutText(line []byte) string {
	const most = 500
	if len(line) <= most {
		return string(line)
	}
	return strings.ToValidUTF8(string(line[:most]), "") + "..."
}

// Quote reads the sources again, and adds to the violations of a result the lines that show them.
// It leaves out sources that can be read only once.
func Quote(ctx context.Context, o Options, r *Result, sources ...Source) error {
	quotes := map[int64][]string{} // by place: a line of an array may have several objects
	last := make([]int64, len(sources))
	for _, v := range r.Violations[:min(len(r.Violations), maxQuoted)] {
		for _, place := range v.places() {
			file := place >> fileBits
			quotes[place], last[file] = nil, max(last[file], lineOf(place))
		}
	}
	for file, last := range last {
		if last == 0 || sources[file].Again == nil {
			continue
		}
		err := sources[file].again(func(in io.Reader) error {
			return quote(ctx, o, in, file, last, quotes)
		})
		if err != nil {
			return err
		}
	}
	for _, v := range r.Violations[:min(len(r.Violations), maxQuoted)] {
		for _, place := range v.places() {
			if text := quotes[place]; len(text) > 0 {
				v.Quotes = append(v.Quotes, Quoted{v.Place(place), strings.Join(text, " ")})
			}
		}
	}
	return nil
}

// Quoted is a line of a log.
type Quoted struct {
	Place string `json:"place"` // 12, or pod-b.csv:12
	Text  string `json:"text"`
}

const maxQuoted = 60

// places are the lines that show a violation, in the order of their files.
func (v *Violation) places() (all []int64) {
	for _, h := range v.Holds {
		all = append(all, h.Line, h.HeardLine)
		if h.Ending == ByLine {
			all = append(all, h.ToLine)
		}
	}
	if v.Sort == StaleWrite {
		all = append(all, v.Write.Line, v.Newer.Line)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// quote adds the wanted lines of a file, up to the last one. A rotated file may be shorter now.
func quote(ctx context.Context, o Options, in io.Reader, file int, last int64,
	quotes map[int64][]string) error {
	l := newLog(ctx, o, []Source{{}})
	if err := l.open(in); err != nil {
		return err
	}
	for {
		line, err := l.lines.next()
		if stop := l.interrupted(l.lines.number); stop != nil {
			return stop
		}
		switch {
		case errors.Is(err, errLong):
			continue
		case err != nil || l.lines.number > last:
			return nil
		case l.decoder == nil && len(line) > 0:
			_, _ = l.begin(line) // it was read before; a record of CSV may have several lines
		}
		place := placed(file, l.lines.number)
		if text, ok := quotes[place]; ok && len(text) < maxObjects {
			quotes[place] = append(text, strings.TrimSpace(string(line)))
		}
	}
}

const maxObjects = 8
