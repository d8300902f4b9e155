package kernel

import "lockstep/internal/history"

// Timer is a handle of a scheduled event. The zero Timer names none.
type Timer struct {
	slot int32 // index into queue.slots plus one
	gen  uint32
}

// queue holds the scheduled events, ordered by (instant, sequence), so that ties
// fire in the order in which they were scheduled.
//
// Most events of a simulation are messages that arrive within a millisecond, and
// few are pending at the same time. They live in a short sorted list, where the
// next event is the last one and a new one rarely has to move many others. What
// comes later than the list has room for waits in a heap.
//
// Cancelling is exact: a timer that is not needed leaves nothing behind.
type queue struct {
	near  []entry // sorted, the next event last; all of it is before all of heap
	heap  []entry // a binary heap
	slots []slot
	free  []int32
	seq   uint64
}

// nearMax is how long the sorted list may get.
const nearMax = 24

type entry struct {
	at   history.Instant
	seq  uint64
	slot int32
}

type slot struct {
	h    Handler
	a, b uint64
	pos  int32 // in heap, or inNear
	gen  uint32
}

// inNear is the position of an event that is not in the heap.
const inNear = -1

func (q *queue) empty() bool { return len(q.near) == 0 && len(q.heap) == 0 }

func (q *queue) reset() {
	for _, e := range q.near {
		q.release(e.slot)
	}
	for _, e := range q.heap {
		q.release(e.slot)
	}
	q.near, q.heap = q.near[:0], q.heap[:0]
	q.seq = 0
}

func (q *queue) push(at history.Instant, h Handler, a, b uint64) Timer {
	var s int32
	if n := len(q.free); n > 0 {
		s = q.free[n-1]
		q.free = q.free[:n-1]
	} else {
		s = int32(len(q.slots))
		q.slots = append(q.slots, slot{})
	}
	sl := &q.slots[s]
	sl.h, sl.a, sl.b = h, a, b
	q.seq++
	e := entry{at, q.seq, s}
	if len(q.heap) > 0 && less(&q.heap[0], &e) {
		q.heapPush(e)
	} else {
		sl.pos = inNear
		q.insert(e)
	}
	return Timer{s + 1, sl.gen}
}

// insert puts an entry into the sorted list.
func (q *queue) insert(e entry) {
	if len(q.near) == nearMax {
		q.spill()
		if less(&q.heap[0], &e) {
			q.heapPush(e)
			return
		}
	}
	q.near = append(q.near, e)
	near := q.near
	i := len(near) - 1
	for i > 0 && less(&near[i-1], &e) {
		near[i] = near[i-1]
		i--
	}
	near[i] = e
}

// spill moves the later half of the sorted list to the heap.
func (q *queue) spill() {
	half := len(q.near) / 2
	for _, e := range q.near[:half] {
		q.heapPush(e)
	}
	q.near = append(q.near[:0], q.near[half:]...)
}

func (q *queue) pop() (history.Instant, Handler, uint64, uint64) {
	var top entry
	if n := len(q.near); n > 0 {
		top = q.near[n-1]
		q.near = q.near[:n-1]
	} else {
		top = q.heap[0]
		q.heapRemove(0)
	}
	sl := &q.slots[top.slot]
	h, a, b := sl.h, sl.a, sl.b
	q.release(top.slot)
	return top.at, h, a, b
}

func (q *queue) cancel(t Timer) bool {
	if t.slot == 0 {
		return false
	}
	s := t.slot - 1
	if q.slots[s].gen != t.gen {
		return false
	}
	if pos := q.slots[s].pos; pos != inNear {
		q.heapRemove(int(pos))
	} else {
		q.removeNear(s)
	}
	q.release(s)
	return true
}

func (q *queue) removeNear(s int32) {
	for i := range q.near {
		if q.near[i].slot == s {
			q.near = append(q.near[:i], q.near[i+1:]...)
			return
		}
	}
}

func (q *queue) release(s int32) {
	sl := &q.slots[s]
	sl.h = nil
	sl.gen++
	q.free = append(q.free, s)
}

func less(x, y *entry) bool {
	return x.at < y.at || (x.at == y.at && x.seq < y.seq)
}
