package kernel

import "iter"

// seat is where one coroutine waits while others run. There are as many seats as
// coroutines that wait, and the one that goes on gives up its seat to the one that
// wakes it:
//
//	            A runs, B in 1, C in 2
//	A wakes C:  C runs, B in 1, A in 2
//	C wakes B:  B runs, C in 1, A in 2
//
// So any coroutine can wake any other by one switch. Used as documented, iter.Pull
// needs two, out of one iterator into the loop and out of the loop into the other,
// and the switches are a tenth of a run. What makes it possible: an iterator holds
// the side that is not running, next and yield both exchange it for their caller, and
// nothing ties a caller to one of the two but that they have to take turns.
type seat struct {
	next  func() (struct{}, bool)
	yield func(struct{}) bool
	inner bool // next was called last, so that yield is due
}

// newSeat starts a coroutine that waits in a seat of its own until it is woken.
// When body returns, the coroutine that waits in that seat goes on: body must make
// sure that it may.
func newSeat(body func()) *seat {
	s := &seat{}
	s.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		body()
	})
	return s
}

// change lets the coroutine in the seat run, and its caller wait there. mine is
// where the caller's seat is written down; change returns when it is woken.
func (s *seat) change(mine **seat) {
	if s.take(mine) {
		s.next()
	} else {
		s.yield(struct{}{})
	}
}

// take is the first half of change: it writes down the exchange and tells by which of
// the two functions it is to be made, next or yield.
func (s *seat) take(mine **seat) bool {
	*mine = s
	s.inner = !s.inner
	return s.inner
}
