package logcheck

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/internal/say"
)

// The position of lines with the same time says nothing about their order: times may be truncated
// to seconds, and a log may be newest first or a combination of several. So the verdict does not
// depend on it.

// Limits for one time.
const (
	maxInstant = 1 << 18 // lines
	maxSame    = 64      // of one client about one lock
)

type instant struct {
	lines []Event
	judge *judge
}

// add adds the next line, in the order of time.
func (i *instant) add(e *Event) {
	switch {
	case len(i.lines) == 0:
	case i.lines[0].At != e.At:
		i.flush()
	case len(i.lines) == maxInstant:
		i.judge.result.doubt(say.LogCrowded.With(say.Number(maxInstant), i.judge.files.at(e.Line)))
		i.flush()
	}
	i.lines = append(i.lines, *e)
}

func (i *instant) flush() {
	i.judge.instant(i.lines)
	i.lines = i.lines[:0]
}

// instant judges the lines of one time, in the order of compare.
func (j *judge) instant(lines []Event) {
	if len(lines) > 1 {
		slices.SortFunc(lines, func(a, b Event) int { return compare(&a, &b) })
		lines = j.once(lines)
	}
	for len(lines) > 0 {
		first, n := &lines[0], 1
		for n < len(lines) && lines[n].rank() == 0 && lines[n].Client == first.Client && lines[n].Lock == first.Lock {
			n++
		}
		same := lines[:n]
		lines = lines[n:]
		if n > maxSame {
			j.result.doubt(say.LogManyAtOnce.With(say.Number(maxSame), say.Verbatim(first.Client), j.files.at(first.Line)))
		}
		for ; len(same) > 0; same = same[1:] {
			if len(same) > 1 && n <= maxSame {
				next := j.next(same)
				e := same[next]
				copy(same[1:], same[:next]) // the rest keep their order
				same[0] = e
			}
			j.observe(&same[0])
		}
	}
}

// next returns the index of the first line of a client among those of one time. It is one that fits
// the client's current hold: extending and writing come before the end of the hold, and that before
// the next acquisition.
func (j *judge) next(same []Event) int {
	l := j.locks[same[0].Lock]
	acquires, ends := -1, -1
	for i := range same {
		e := &same[i]
		switch {
		case e.Kind == Acquired:
			if acquires < 0 {
				acquires = i
			}
		case l == nil || !l.holding(e, j.widest()):
		case e.Kind == Extended || e.Kind == Write:
			return i
		case ends < 0:
			ends = i
		}
	}
	if ends >= 0 {
		return ends
	}
	return max(acquires, 0)
}

// once drops duplicates of lines: transport may duplicate them, and files may overlap.
func (j *judge) once(lines []Event) []Event {
	all := lines[:1]
	for i := range lines[1:] {
		e, before := &lines[i+1], &all[len(all)-1]
		if !e.again(before) {
			all = append(all, *e)
			continue
		}
		if j.twice++; j.twice == 1 {
			j.firstTwice = e.Line
		}
		if e.Kind == Acquired {
			j.lock(e.Lock).twice = e.Line
		}
	}
	return all
}

// order sorts lines by time that are out of order by no more than a window.
type order struct {
	window  int64
	waiting []*Event // lines within the window of the latest one, in the order of their times
	latest  int64    // the highest time so far
	some    bool
	instant instant
}

const maxWaiting = 1 << 18

// lateError is a line that is older than the window allows.
type lateError struct{ by, window time.Duration }

func (e *lateError) Error() string {
	if e.window == 0 {
		return fmt.Sprintf("it is %v older than the line before it: --window %v would put such lines into order", e.by, e.by)
	}
	return fmt.Sprintf("it is %v older than a line before it, which is more than --window %v", e.by, e.window)
}

// isLate reports whether an error would not occur if the lines were sorted.
func isLate(err error) bool {
	_, late := errors.AsType[*lateError](err)
	return late
}

func (o *order) push(e *Event) error {
	switch {
	case !o.some:
		o.some, o.latest = true, e.At
	case e.At < o.latest-o.window:
		return &lateError{time.Duration(o.latest - e.At), time.Duration(o.window)}
	}
	o.latest = max(o.latest, e.At)
	if o.window == 0 {
		o.instant.add(e)
		return nil
	}
	if len(o.waiting) == maxWaiting {
		return fmt.Errorf("more than %d lines lie within --window %v: make it shorter", maxWaiting, time.Duration(o.window))
	}
	waits := *e
	at, _ := slices.BinarySearchFunc(o.waiting, e.At+1, func(w *Event, at int64) int { return cmp.Compare(w.At, at) })
	o.waiting = slices.Insert(o.waiting, at, &waits)
	o.until(o.latest - o.window)
	return nil
}

func (o *order) until(at int64) {
	for len(o.waiting) > 0 && o.waiting[0].At < at {
		o.instant.add(o.waiting[0])
		o.waiting = o.waiting[1:]
	}
}

func (o *order) flush() {
	o.until(forever)
	o.instant.flush()
}
