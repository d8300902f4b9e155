package logcheck

import (
	"fmt"

	"lockstep/internal/history/jsonline"
)

// jsonDecoder reads lines with one JSON object each.
type jsonDecoder struct {
	reader
	scan jsonline.Scanner
	keys [len(columnNames)]string
}

func newJSON(columns Columns, unit Unit) *jsonDecoder {
	d := &jsonDecoder{reader: newReader(unit)}
	for i, name := range columnNames {
		d.keys[i] = columns.of(name)
	}
	return d
}

func (d *jsonDecoder) decode(line []byte, e *Event) error {
	var f fields
	seen := 0
	d.scan.Reset(line)
	err := d.scan.Object(func(key []byte) (err error) {
		field := -1
		for i := range d.keys {
			if string(key) == d.keys[i] {
				field = i
			}
		}
		if field < 0 {
			return d.scan.Skip()
		}
		if seen&(1<<field) != 0 {
			return fmt.Errorf("%s stands there twice", key)
		}
		seen |= 1 << field
		switch field {
		case 0:
			f.time, err = d.scan.Number()
		case 1:
			f.client, err = d.scan.Bytes()
		case 2:
			f.lock, err = d.scan.Bytes()
		case 3:
			f.event, err = d.scan.Bytes()
		case 4:
			f.token, err = d.scan.Number()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		return nil
	})
	if err == nil {
		err = d.scan.End()
	}
	if err != nil {
		return err
	}
	for i, name := range columnNames {
		if needed := name == "time" || name == "client" || name == "event"; needed && seen&(1<<i) == 0 {
			return fmt.Errorf("it has no key %q: --columns %s=NAME says which one has the %s", d.keys[i], name, name)
		}
	}
	return d.event(&f, e)
}

// open implements decoder: an object shows where it ends.
func (d *jsonDecoder) open() bool { return false }
