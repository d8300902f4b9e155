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
	near    [nearMax]entry // sorted, the next event last; all of it is before all of heap
	nearLen int
	heap    []entry // a binary heap
	slots   []slot
	free    int32 // the first free slot plus one, 0 for none; each leads to the next
	seq     uint64
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
	pos  int32 // in heap, or inNear; of a free slot: what free was before
	gen  uint32
}

// inNear is the position of an event that is not in the heap.
const inNear = -1

func (q *queue) empty() bool { return q.nearLen == 0 && len(q.heap) == 0 }

func (q *queue) reset() {
	for _, e := range q.near[:q.nearLen] {
		q.release(e.slot)
	}
	for _, e := range q.heap {
		q.release(e.slot)
	}
	q.nearLen, q.heap = 0, q.heap[:0]
	q.seq = 0
}

func (q *queue) push(at history.Instant, h Handler, a, b uint64) Timer {
	s := q.free - 1
	if s < 0 {
		s = int32(len(q.slots))
		q.slots = append(q.slots, slot{})
	}
	sl := &q.slots[s]
	q.free = sl.pos
	sl.h, sl.a, sl.b = h, a, b
	q.seq++
	// Of all that fire at the same instant the newest comes last.
	if e := (entry{at, q.seq, s}); len(q.heap) > 0 && q.heap[0].at <= at {
		q.heapPush(e)
	} else {
		sl.pos = inNear
		q.insert(e)
	}
	return Timer{s + 1, sl.gen}
}

// insert puts the newest entry into the sorted list.
func (q *queue) insert(e entry) {
	if q.nearLen == nearMax {
		q.spill()
		if q.heap[0].at <= e.at {
			q.heapPush(e)
			return
		}
	}
	near := q.near[:q.nearLen+1]
	i := q.nearLen
	for i > 0 && near[i-1].at <= e.at {
		near[i] = near[i-1]
		i--
	}
	near[i] = e
	q.nearLen++
}

// spill moves the later half of the sorted list to the heap.
func (q *queue) spill() {
	half := q.nearLen / 2
	for _, e := range q.near[:half] {
		q.heapPush(e)
	}
	q.nearLen = copy(q.near[:], q.near[half:q.nearLen])
}

func (q *queue) pop() (history.Instant, Handler, uint64, uint64) {
	var top entry
	if q.nearLen > 0 {
		q.nearLen--
		top = q.near[q.nearLen]
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
	for i := range q.near[:q.nearLen] {
		if q.near[i].slot == s {
			copy(q.near[i:], q.near[i+1:q.nearLen])
			q.nearLen--
			return
		}
	}
}

func (q *queue) release(s int32) {
	sl := &q.slots[s]
	sl.h = nil
	sl.gen++
	sl.pos, q.free = q.free, s+1
}

func less(x, y *entry) bool {
	return x.at < y.at || (x.at == y.at && x.seq < y.seq)
}
