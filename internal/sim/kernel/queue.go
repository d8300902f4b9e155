package kernel

import "lockstep/internal/history"

// Timer is a handle of a scheduled event. The zero Timer names none.
type Timer struct {
	slot int32 // index into queue.slots plus one
	gen  uint32
}

// queue is an indexed binary heap of events, ordered by (instant, sequence), so
// that ties fire in the order in which they were scheduled. The index makes
// cancelling exact: a timeout that is not needed leaves nothing behind.
type queue struct {
	heap  []entry
	slots []slot
	free  []int32
	seq   uint64
}

type entry struct {
	at   history.Instant
	seq  uint64
	slot int32
}

type slot struct {
	h    Handler
	a, b uint64
	pos  int32 // in heap
	gen  uint32
}

func (q *queue) empty() bool { return len(q.heap) == 0 }

func (q *queue) reset() {
	for _, e := range q.heap {
		q.release(e.slot)
	}
	q.heap = q.heap[:0]
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
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, entry{at, q.seq, s})
	return Timer{s + 1, sl.gen}
}

func (q *queue) pop() (history.Instant, Handler, uint64, uint64) {
	top := q.heap[0]
	sl := &q.slots[top.slot]
	h, a, b := sl.h, sl.a, sl.b
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if last > 0 {
		// Nearly always the last entry belongs near the bottom: let the hole sink
		// without comparing with it, then let it rise.
		q.up(q.sink(0), moved)
	}
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
	i := int(q.slots[s].pos)
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if i < last {
		q.up(q.sink(i), moved)
	}
	q.release(s)
	return true
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

// up puts an entry at a hole, or higher where it belongs.
func (q *queue) up(i int, e entry) {
	heap, slots := q.heap, q.slots
	for i > 0 {
		parent := (i - 1) / 2
		p := &heap[parent]
		if !less(&e, p) {
			break
		}
		heap[i] = *p
		slots[p.slot].pos = int32(i)
		i = parent
	}
	heap[i] = e
	slots[e.slot].pos = int32(i)
}

// sink moves a hole down to a leaf, along the earlier child of each node, and
// returns where it ends.
func (q *queue) sink(i int) int {
	heap, slots := q.heap, q.slots
	n := len(heap)
	for {
		child := 2*i + 1
		if child >= n {
			return i
		}
		c := &heap[child]
		if r := child + 1; r < n {
			if right := &heap[r]; less(right, c) {
				child, c = r, right
			}
		}
		heap[i] = *c
		slots[c.slot].pos = int32(i)
		i = child
	}
}
