package logline

import (
	"bytes"
	"fmt"
	"slices"
)

// textDecoder reads lines of prose, in which patterns find the values.
type textDecoder struct {
	bound
	head   *pattern // what stands before the message; nil when nothing of it is asked for
	slots  []string // names of groups that are asked for
	values [][]byte
}

func newText(b binder) (*textDecoder, error) {
	d := &textDecoder{bound: bound{patterns: b.format.patterns}}
	if len(d.patterns) == 0 {
		return nil, fmt.Errorf("say with --pattern where client, lock and event stand in a line, in named groups")
	}
	for field, name := range names[:messageField] {
		if b.format.Columns[name] == "" {
			switch {
			case d.patterns.has(name):
				d.fields[field] = []part{{slot: d.slot(name)}}
				d.reads = append(d.reads, Read{name, "(?<" + name + ">...)"})
			case field == timeField:
				d.reads = append(d.reads, Read{name, "the first time of the line"})
			case field <= eventField:
				return nil, fmt.Errorf("no --pattern has a group (?<%s>...), and there is no --columns %s=GROUP, =TEXT or @file", name, name)
			}
			continue
		}
		parts, err := b.parts(field, func(theirs string) (int, error) {
			switch {
			case d.patterns.has(theirs):
			case b.format.head != nil && b.format.head.groups[theirs] > 0:
				d.head = b.format.head
			default:
				return 0, fmt.Errorf("no --pattern has a group (?<%s>...), which is to be the %s", theirs, name)
			}
			return d.slot(theirs), nil
		})
		if err != nil {
			return nil, err
		}
		d.fields[field] = parts
		d.reads = append(d.reads, Read{name, b.format.Columns[name]})
	}
	return d, nil
}

func (d *textDecoder) slot(name string) int {
	at := slices.Index(d.slots, name)
	if at < 0 {
		at = len(d.slots)
		d.slots, d.values = append(d.slots, name), append(d.values, nil)
	}
	return at
}

func (d *textDecoder) Decode(line []byte, _ int64, emit func(*Fields) error) error {
	p := d.patterns.match(line)
	if p == nil {
		return pass(line)
	}
	headed := d.head != nil && d.head.match(line)
	if d.head != nil && !headed {
		return fmt.Errorf("its beginning is not that of the preset: say with a group (?<client>...) of --pattern, or --columns client=@file, who it is")
	}
	for i, name := range d.slots {
		value := p.group(name)
		if value == nil && headed {
			value = d.head.group(name)
		}
		d.values[i] = unquote(value)
	}
	f := d.fill(d.values)
	if len(f.Time) == 0 {
		if f.Time = stamp(line); f.Time == nil {
			return fmt.Errorf("no time is recognized in it: say with a group (?<time>...) where it stands, and with --time-layout how it is written")
		}
	}
	if err := emit(f); err != nil {
		return err
	}
	return whole(p)
}

func (d *textDecoder) End(func(*Fields) error) error { return nil }

// Whole implements Decoder: any line may have gone on.
func (d *textDecoder) Whole() bool { return false }

func (d *textDecoder) Reads() []Read { return d.reads }

// unquote is a value without the quotation marks around it, and without blanks.
func unquote(value []byte) []byte {
	value = bytes.TrimSpace(value)
	if n := len(value); n > 1 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'' || value[0] == '`') {
		return value[1 : n-1]
	}
	return value
}

// stamp is the first time of a line, of one of the usual forms: 2026-03-01T10:00:00.012+01:00, 2026-03-01 10:00:00,012,
// 2026/03/01 10:00:00; nil when there is none.
func stamp(line []byte) []byte {
	for at := 4; at+15 <= len(line); at++ {
		if c := line[at]; c != '-' && c != '/' || line[at+3] != c {
			continue
		}
		start := at - 4
		if !allDigits(line[start:at]) || !allDigits(line[at+1:at+3]) || !allDigits(line[at+4:at+6]) || line[at+9] != ':' || line[at+12] != ':' {
			continue
		}
		return line[start : at+15+zoned(line[at+15:])]
	}
	return nil
}

// zoned is how many bytes of what stands behind the seconds belong to the time: a fraction, and a zone.
func zoned(rest []byte) (n int) {
	digits := func() {
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
	}
	if n+1 < len(rest) && (rest[n] == '.' || rest[n] == ',') && isDigit(rest[n+1]) {
		n++
		digits()
	}
	gap := 0
	if n < len(rest) && rest[n] == ' ' {
		gap = 1
	}
	tail := rest[n+gap:]
	switch {
	case gap == 0 && bytes.HasPrefix(tail, []byte("Z")):
		return n + 1
	case bytes.HasPrefix(tail, []byte("UTC")):
		return n + gap + 3
	case len(tail) >= 5 && (tail[0] == '+' || tail[0] == '-') && allDigits(tail[1:3]):
		switch {
		case len(tail) >= 6 && tail[3] == ':' && allDigits(tail[4:6]):
			return n + gap + 6
		case allDigits(tail[3:5]):
			return n + gap + 5
		}
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func allDigits(text []byte) bool {
	return !slices.ContainsFunc(text, func(c byte) bool { return !isDigit(c) })
}
