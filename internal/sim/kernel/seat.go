package kernel

import "iter"

// seat is where one coroutine waits while others run. A coroutine that goes on leaves its seat to
// the one that wakes it:
//
//	            A runs, B in 1, C in 2
//	A wakes C:  C runs, B in 1, A in 2
//	C wakes B:  B runs, C in 1, A in 2
//
// So any coroutine wakes any other by one switch. Used as documented, iter.Pull needs two: out of
// one iterator into the loop, and from the loop into the other. It works because an iterator holds
// the side that is not running: next and yield both exchange it for their caller, and need only be
// called in turn.
type seat struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	inner bool // next was called last, so yield is due
}

// newSeat starts a coroutine that waits in a seat of its own. When body returns, the coroutine that
// waits in that seat goes on: body must make sure that it may.
func newSeat(body func()) *seat {
	s := &seat{}
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		body()
	})
	return s
}

// change runs the coroutine in the seat, and lets its caller wait there until it is woken. mine is
// where the caller's seat is kept.
func (s *seat) change(mine **seat) {
	if s.take(mine) {
		s.next()
	} else {
		s.yield(struct{}{})
	}
}

// take is the first half of change: it records the exchange, and reports whether next, not yield,
// makes it.
func (s *seat) take(mine **seat) bool {
	*mine = s
	s.inner = !s.inner
	return s.inner
}
