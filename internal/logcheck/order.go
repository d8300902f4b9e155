package logcheck

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"time"
)

// order puts lines into the order of time that come out of order by no more than a window. Lines of
// one time stay as they came.
type order struct {
	window  int64
	emit    func(*Event)
	waiting byTime // lines within the window of the latest one
	spare   []*Event
	latest  int64 // the highest time so far
	some    bool
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

// IsLate reports whether an error of Check is that a line comes too late, and so not if lines are sorted.
func IsLate(err error) bool {
	var late *lateError
	return errors.As(err, &late)
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
		o.emit(e)
		return nil
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
	o.pass(o.latest - o.window)
	return nil
}

// pass emits the lines up to a time.
func (o *order) pass(until int64) {
	for len(o.waiting) > 0 && o.waiting[0].At <= until {
		e := heap.Pop(&o.waiting).(*Event)
		o.emit(e)
		o.spare = append(o.spare, e)
	}
}

// flush emits all that waits.
func (o *order) flush() { o.pass(maxTime) }

// byTime is a heap of events.
type byTime []*Event

// compare orders events by time, and those of one time by their lines.
func compare(a, b *Event) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Line, b.Line)) }

func (q byTime) Len() int           { return len(q) }
func (q byTime) Less(i, k int) bool { return compare(q[i], q[k]) < 0 }
func (q byTime) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *byTime) Push(e any)        { *q = append(*q, e.(*Event)) }
func (q *byTime) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}
