package kernel

import "lockstep/internal/history"

// Timer is a handle of a scheduled event. The zero Timer refers to none.
type Timer struct {
	slot int32 // index into queue.slots plus one
	gen  uint32
}

// queue holds the scheduled events, ordered by (instant, sequence), so that ties
// fire in the order in which they were scheduled.
//
// Most events are messages that arrive within a millisecond, and few are pending at once. They are
// in a short sorted list, whose last element is the next event; all later events are in a heap.
//
// A cancelled event is removed at once.
type queue struct {
	near    [nearMax]entry // sorted, the next event last; all of it is before all of heap
	nearLen int
	heap    []entry // a binary heap
	slots   []slot
	free    int32 // the first free slot plus one, 0 for none; each refers to the next
	seq     uint64
	now     history.Instant // of the last event popped
}

// nearMax is how long the sorted list may get.
const nearMax = 24

// entry is small because entries are moved often: the rest of an event is in its slot.
type entry struct {
	at   history.Instant
	slot int32
}

type slot struct {
	h      Handler // of a free slot: the last one
	number uint64
	seq    uint64
	pos    int32 // in heap, or inNear; of a free slot: the previous value of free
	gen    uint32
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
	q.seq, q.now = 0, 0
}

// push schedules an event; an instant in the past means now.
func (q *queue) push(at history.Instant, h Handler, number uint64) Timer {
	s := q.free - 1
	if s < 0 {
		s = int32(len(q.slots))
		q.slots = append(q.slots, slot{})
	}
	sl := &q.slots[s]
	q.free = sl.pos
	q.seq++
	sl.h, sl.number, sl.seq = h, number, q.seq
	at = max(at, q.now)
	// The newest of the events of one instant fires last.
	if e := (entry{at, s}); len(q.heap) > 0 && q.heap[0].at <= at {
		q.heapPush(e)
	} else {
		sl.pos = inNear
		q.insert(e)
	}
	return Timer{s + 1, sl.gen}
}

func (q *queue) insert(e entry) {
	if q.nearLen == nearMax {
		q.spill()
		if q.heap[0].at <= e.at {
			q.heapPush(e)
			return
		}
	}
	q.nearLen++
	near := q.near[:q.nearLen]
	for i := len(near) - 1; i > 0; i-- {
		sooner := near[i-1]
		if sooner.at > e.at {
			near[i] = e
			return
		}
		near[i] = sooner
	}
	near[0] = e
}

// spill moves the later half of the sorted list to the heap.
func (q *queue) spill() {
	half := q.nearLen / 2
	for _, e := range q.near[:half] {
		q.heapPush(e)
	}
	q.nearLen = copy(q.near[:], q.near[half:q.nearLen])
}

// pop removes the next event, whose instant becomes now. The slot is valid until the next push.
func (q *queue) pop() *slot {
	var top entry
	if q.nearLen > 0 {
		q.nearLen--
		top = q.near[q.nearLen]
	} else {
		top = q.heap[0]
		q.heapRemove(0)
	}
	q.now = top.at
	return q.release(top.slot)
}

func (q *queue) cancel(t Timer) {
	if t.slot == 0 {
		return
	}
	s := t.slot - 1
	if q.slots[s].gen != t.gen {
		return
	}
	if pos := q.slots[s].pos; pos != inNear {
		q.heapRemove(int(pos))
	} else {
		q.removeNear(s)
	}
	q.release(s)
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

func (q *queue) release(s int32) *slot {
	sl := &q.slots[s]
	sl.gen++
	sl.pos, q.free = q.free, s+1
	return sl
}

// before reports whether an entry of the heap fires before another one.
func (q *queue) before(x, y *entry) bool {
	return x.at < y.at || (x.at == y.at && q.slots[x.slot].seq < q.slots[y.slot].seq)
}
