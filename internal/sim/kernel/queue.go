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
	now     history.Instant // of the latest event that was taken out
}

// nearMax is how long the sorted list may get.
const nearMax = 24

// entry is small, for entries are moved often: what is asked for once, or only
// among events of the same instant, is in its slot.
type entry struct {
	at   history.Instant
	slot int32
}

type slot struct {
	h      Handler // of a free slot: the last one
	number uint64
	seq    uint64
	pos    int32 // in heap, or inNear; of a free slot: what free was before
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
	// Of all that fire at the same instant the newest comes last.
	if e := (entry{at, s}); len(q.heap) > 0 && q.heap[0].at <= at {
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

// pop takes the next event out of the queue: its instant is now. Its slot is free,
// and good until the next push.
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
