package history

import (
	"errors"
	"fmt"
	"strconv"
)

// endStart is how WriteJSONL begins the line behind the last event.
var endStart = []byte(`{"events":`)

// appendEnd appends the line behind the last event.
func appendEnd(b []byte, h *History, number, of int) []byte {
	b = strconv.AppendInt(append(b, `{"events":`...), int64(len(h.Events)), 10)
	b = strconv.AppendInt(append(b, `,"history":`...), int64(number), 10)
	b = strconv.AppendInt(append(b, `,"of":`...), int64(of), 10)
	return append(b, "}\n"...)
}

// end reads the line behind the last event of the file's history with that number,
// and makes sure that nothing is missing before it.
func (d *decoder) end(line []byte, number int) error {
	if err := d.start(line); err != nil {
		return err
	}
	var events, history, of int
	s := &d.scan
	err := s.Object(func(key []byte) (err error) {
		switch string(key) {
		case "events":
			events, err = s.Small()
		case "history":
			history, err = s.Small()
		case "of":
			of, err = s.Small()
		default:
			err = s.Skip()
		}
		return err
	})
	if err == nil {
		err = s.End()
	}
	switch {
	case err != nil:
		return err
	case d.h.Whole:
		return errors.New("the history has ended already")
	case events != len(d.h.Events):
		return fmt.Errorf("%d events should stand before this line, and there are %d: the file was changed", events, len(d.h.Events))
	case history != number || of < number || d.of != 0 && of != d.of:
		return fmt.Errorf("this should be the end of history %d of %d, and it is that of history %d of the file: the file was changed", history, of, number)
	}
	d.h.Whole, d.of = true, of
	return nil
}
