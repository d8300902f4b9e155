package logcheck

import (
	"container/heap"
	"errors"
	"fmt"
	"time"
)

// order puts lines into the order of time that come out of order by no more than a window.
type order struct {
	window  int64
	waiting byTime // lines within the window of the latest one
	spare   []*Event
	latest  int64 // the highest time so far
	some    bool
	instant instant
}

// maxWaiting is how many lines the window may hold.
const maxWaiting = 1 << 18

// lateError is a line that is older than the window allows.
type lateError struct{ by, window time.Duration }

func (e *lateError) Error() string {
	if e.window == 0 {
		return fmt.Sprintf("it is %v older than the line before it: --window %v would put such lines into order", e.by, e.by)
	}
	return fmt.Sprintf("it is %v older than a line before it, which is more than --window %v", e.by, e.window)
}

// errCrowded says that too many lines have one time.
var errCrowded = fmt.Errorf("more than %d lines have one time", maxInstant)

// IsLate reports whether an error of Check is one of the order of lines, and so not if they are sorted.
func IsLate(err error) bool {
	var late *lateError
	return errors.As(err, &late) || errors.Is(err, errCrowded)
}

// push takes the next line.
func (o *order) push(e *Event) error {
	switch {
	case !o.some:
		o.some, o.latest = true, e.At
	case e.At < o.latest-o.window:
		return &lateError{time.Duration(o.latest - e.At), time.Duration(o.window)}
	}
	o.latest = max(o.latest, e.At)
	if o.window == 0 {
		return o.pass(e)
	}
	if len(o.waiting) == maxWaiting {
		return fmt.Errorf("more than %d lines lie within --window %v: make it shorter", maxWaiting, time.Duration(o.window))
	}
	var waits *Event
	if n := len(o.spare); n > 0 {
		waits, o.spare = o.spare[n-1], o.spare[:n-1]
	} else {
		waits = new(Event)
	}
	*waits = *e
	heap.Push(&o.waiting, waits)
	return o.until(o.latest - o.window)
}

func (o *order) pass(e *Event) error {
	if !o.instant.add(e) {
		return errCrowded
	}
	return nil
}

// until passes on the lines before a time: at that time, there may be more.
func (o *order) until(at int64) error {
	for len(o.waiting) > 0 && o.waiting[0].At < at {
		e := heap.Pop(&o.waiting).(*Event)
		if err := o.pass(e); err != nil {
			return err
		}
		o.spare = append(o.spare, e)
	}
	return nil
}

// flush passes on all that waits.
func (o *order) flush() error {
	err := o.until(forever)
	o.instant.flush()
	return err
}

// byTime is a heap of events.
type byTime []*Event

func (q byTime) Len() int           { return len(q) }
func (q byTime) Less(i, k int) bool { return q[i].At < q[k].At }
func (q byTime) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *byTime) Push(e any)        { *q = append(*q, e.(*Event)) }
func (q *byTime) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}
