package logline

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// csvDecoder reads lines of values separated by commas, semicolons, tabs or bars.
type csvDecoder struct {
	bound
	comma    byte
	header   []byte // the first line, which recurs in concatenated logs
	columns  []string
	outcomes []int // columns that say whether the event succeeded
	loose    bool  // its names are not ours: lines may be about something else
	values   [][]byte
}

// commas are the separators, the usual one first.
const commas = ",;\t|"

// newCSV finds the separator by the header.
func newCSV(header []byte, b bound) (*csvDecoder, error) {
	var first error // the error with the usual comma is the most helpful
	for _, comma := range []byte(commas) {
		d := &csvDecoder{comma: comma, header: bytes.Clone(header), bound: b}
		err := d.begin()
		if err == nil {
			return d, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, first
}

// misfit returns an error for the first line of a log that cannot be judged.
func misfit(first []byte) error {
	for _, m := range misfits {
		if m.form.Match(unprefixed(first, arrived)) {
			return fmt.Errorf("%s %s", shown(first), m.cure)
		}
	}
	return nil
}

// misfits are first lines of logs that cannot be judged, such as those of Logback without a
// configuration.
var misfits = []struct {
	form *regexp.Regexp
	cure string
}{
	{regexp.MustCompile(`^\d\d:\d\d:\d\d\b`), "has a time without a date, and a hold past midnight would end before it begins: put the date in front of each line, such as 2026-03-01"},
	{regexp.MustCompile(`^[^{"]*[\]\w|:][^{"]*\{"`), "has JSON behind something else: leave that out, as kubectl logs does without --prefix and with a file for each pod, or read the line with --pattern"},
	{regexp.MustCompile(`^__CURSOR=`), "begins a journal in the form of an export: write it with journalctl -o json"},
	{regexp.MustCompile(`^\d+\) (?:\d+\) )?\(integer\)`), "begins the slow log of Redis, which has no replies and only slow commands: MONITOR shows all of them"},
}

func (d *csvDecoder) begin() error {
	if d.split(d.header) != nil {
		return noFormat(d.header)
	}
	for at, v := range d.values {
		if d.columns = append(d.columns, string(bytes.TrimSpace(v))); outcome.MatchString(d.columns[at]) {
			d.outcomes = append(d.outcomes, at)
		}
	}
	err := d.bind(names, d.column, func(field int) error {
		if !d.wanted(field) {
			return nil
		}
		at, err := best(field, d.columns)
		if at >= 0 {
			d.fields[field] = []part{{slot: at}}
			d.reads = append(d.reads, Read{names[field], d.columns[at]})
			d.whole = d.whole || field == eventField && at == len(d.columns)-1 // a known word
			d.loose = d.loose || d.columns[at] != names[field]
			d.prose = d.prose || field == eventField && slices.Contains(aliases[eventField][prose:], worded(d.columns[at]))
		} else if err == nil && d.needed(field) {
			err = d.missing(names[field], names[field])
		}
		return err
	})
	d.loose = d.loose || d.stated
	return err
}

func (d *csvDecoder) column(field int, theirs string) (int, error) {
	at := slices.Index(d.columns, theirs)
	switch {
	case at < 0:
		return 0, d.missing(names[field], theirs)
	case slices.Contains(d.columns[at+1:], theirs):
		return 0, twoOf(field, theirs, theirs)
	}
	return at, nil
}

// missing is the error for a missing column, with a hint.
func (d *csvDecoder) missing(ours, theirs string) error {
	if one := slices.IndexFunc(d.columns, known); one < 0 || !slices.ContainsFunc(d.columns[one+1:], known) { // a line of text may end as one does
		return noFormat(d.header)
	}
	return fmt.Errorf("read as the header of a CSV file, it has no column %q among %s: --columns %s=NAME says which column has the %s; --explain-format shows what is read",
		theirs, listed(d.columns), ours, ours)
}

// noFormat is the error for a log of an unknown format.
func noFormat(first []byte) error {
	return fmt.Errorf("%s is no header of a CSV file, no JSON and none of the presets: if it is text, say with --pattern where client, lock and event stand, such as "+
		`'\[(?<client>\S+)\] (?<event>\w+) lock (?<lock>\S+)'`, shown(first))
}

// known reports whether a name may be that of one of our values.
func known(name string) bool {
	for field := range names {
		if rank(field, name) >= 0 {
			return true
		}
	}
	return false
}

func listed(words []string) string {
	const most = 12
	if len(words) > most {
		return fmt.Sprintf("%.200q and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return fmt.Sprintf("%.200q", strings.Join(words, ", "))
}

func (d *csvDecoder) Decode(line []byte, _ int64, emit func(*Fields) error) error {
	if bytes.Equal(line, d.header) {
		return nil // of a concatenated log
	}
	if err := d.split(line); err != nil {
		return err
	}
	if n := len(d.values); n > len(d.columns) || n < len(d.columns) && !d.spared(n) {
		return fmt.Errorf("%d columns, the header has %d", n, len(d.columns))
	}
	d.failed = nil
	for _, at := range d.outcomes {
		if at < len(d.values) {
			d.noteOutcome([]byte(d.columns[at]), d.values[at])
		}
	}
	f := d.fill(d.values)
	p, ok := d.within(f)
	if !ok || d.loose && len(f.Lock) == 0 && (len(f.Event) == 0 || f.Prose) {
		return Pass(line)
	}
	f.Prose = f.Prose || d.loose && len(f.Lock) == 0
	return d.emitOnly(f, p, emit)
}

// spared reports whether a line may omit the columns from n on: only tokens, modes and leases may
// be missing.
func (d *csvDecoder) spared(n int) bool {
	return !slices.ContainsFunc(d.fields[:tokenField], func(parts []part) bool {
		return slices.ContainsFunc(parts, func(p part) bool { return p.slot >= n })
	})
}

// split splits a line at its commas. Package csv splits lines with quotation marks.
func (d *csvDecoder) split(line []byte) error {
	d.values = d.values[:0]
	if bytes.IndexByte(line, '"') >= 0 {
		r := csv.NewReader(bytes.NewReader(line))
		r.Comma = rune(d.comma)
		quoted, err := r.Read()
		if err != nil {
			return errors.New("a quotation mark stands alone: a value in quotation marks ends with one before the next comma, and one within it is written twice")
		}
		if len(quoted) > maxColumns {
			return errColumns
		}
		for _, v := range quoted {
			d.values = append(d.values, []byte(v))
		}
		return nil
	}
	for value := range bytes.SplitSeq(line, []byte{d.comma}) {
		if len(d.values) == maxColumns {
			return errColumns
		}
		d.values = append(d.values, value)
	}
	return nil
}

const maxColumns = 1000

var errColumns = fmt.Errorf("more than %d columns", maxColumns)
