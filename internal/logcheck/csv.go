package logcheck

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// columnNames are what both formats call their values, in the order of fields.
var columnNames = [...]string{"time", "client", "lock", "event", "token"}

// Columns says which column of a log, or which key of its objects, has a value that we call
// otherwise: of "time" and so on.
type Columns map[string]string

// ParseColumns reads time=ts,client=pod.
func ParseColumns(text string) (Columns, error) {
	c := Columns{}
	if text == "" {
		return c, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		ours, theirs, ok := strings.Cut(part, "=")
		ours, theirs = strings.TrimSpace(ours), strings.TrimSpace(theirs)
		switch {
		case !ok || theirs == "" || !slices.Contains(columnNames[:], ours):
			return nil, fmt.Errorf("%q is no column: write time=ts,client=pod, where time, client, lock, event and token can stand on the left", part)
		case c[ours] != "":
			return nil, fmt.Errorf("%s stands there twice", ours)
		}
		c[ours] = theirs
	}
	return c, nil
}

// of is what a log calls one of our values.
func (c Columns) of(name string) string {
	if theirs := c[name]; theirs != "" {
		return theirs
	}
	return name
}

// csvDecoder reads lines of comma-separated values.
type csvDecoder struct {
	reader
	header []byte // the first line, which may come again where logs were put together
	at     [len(columnNames)]int
	count  int // columns of the header
	values [][]byte
}

// newCSV begins with the header.
func newCSV(header []byte, columns Columns, unit Unit) (*csvDecoder, error) {
	d := &csvDecoder{reader: newReader(unit), header: bytes.Clone(header)}
	if err := d.split(header); err != nil {
		return nil, err
	}
	d.count = len(d.values)
	for i, name := range columnNames {
		theirs := columns.of(name)
		is := func(v []byte) bool { return string(bytes.TrimSpace(v)) == theirs }
		d.at[i] = slices.IndexFunc(d.values, is)
		if twice := d.at[i] >= 0 && slices.ContainsFunc(d.values[d.at[i]+1:], is); twice {
			return nil, fmt.Errorf("the header has two columns %q: rename one, or choose another with --columns %s=NAME", theirs, name)
		}
		if d.at[i] < 0 && (name != "token" || columns[name] != "") {
			return nil, fmt.Errorf("read as the header of a CSV file, it has no column %q: it is to name time, client, lock, event and, if there are some, token; "+
				"--columns %s=NAME says which column has another name", theirs, name)
		}
	}
	return d, nil
}

func (d *csvDecoder) decode(line []byte, e *Event) error {
	if err := d.split(line); err != nil {
		return err
	}
	var f fields
	for i, to := range [...]*[]byte{&f.time, &f.client, &f.lock, &f.event, &f.token} {
		at := d.at[i]
		switch {
		case at >= 0 && at < len(d.values):
			*to = d.values[at]
		case at >= 0 && i < len(columnNames)-1: // a token may be left away
			return fmt.Errorf("%d columns, the header has %d", len(d.values), d.count)
		}
	}
	if len(d.values) > d.count {
		return fmt.Errorf("%d columns, the header has %d", len(d.values), d.count)
	}
	return d.event(&f, e)
}

// split cuts a line at its commas. A line with a quotation mark is left to the library.
func (d *csvDecoder) split(line []byte) error {
	d.values = d.values[:0]
	if bytes.IndexByte(line, '"') >= 0 {
		quoted, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != nil {
			return errors.New("a quotation mark stands alone: a value in quotation marks ends on its line, and one within it is written twice")
		}
		for _, v := range quoted {
			d.values = append(d.values, []byte(v))
		}
		return nil
	}
	for {
		comma := bytes.IndexByte(line, ',')
		if comma < 0 {
			d.values = append(d.values, line)
			return nil
		}
		d.values = append(d.values, line[:comma])
		line = line[comma+1:]
		if len(d.values) > maxColumns {
			return fmt.Errorf("more than %d columns", maxColumns)
		}
	}
}

// maxColumns is how many columns a line may have.
const maxColumns = 1000

// open implements decoder: a value that ends the line and is no word may have gone on.
func (d *csvDecoder) open() bool { return d.at[3] != len(d.values)-1 }
