package history

import (
	"errors"
	"fmt"
)

// endStart is how WriteJSONL begins the line behind the last event.
var endStart = []byte(`{"events":`)

// end reads the line behind the last event of the file's history with that number,
// and makes sure that nothing is missing before it.
func (d *decoder) end(line []byte, number int) error {
	if err := d.start(line); err != nil {
		return err
	}
	var e ending
	err := readLine(&d.scan, endingFields, &e)
	switch {
	case err != nil:
		return err
	case d.h.Whole:
		return errors.New("the history has ended already")
	case e.events != len(d.h.Events):
		return fmt.Errorf("%d events should stand before this line, and there are %d: the file was changed", e.events, len(d.h.Events))
	case e.history != number || e.of < number || d.of != 0 && e.of != d.of:
		return fmt.Errorf("this should be the end of history %d of %d, and it is that of history %d of the file: the file was changed", e.history, e.of, number)
	}
	d.h.Whole, d.of = true, e.of
	return nil
}
