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
	q.heap = append(q.heap, entry{at, q.seq, s})
	q.up(len(q.heap) - 1)
	return Timer{s + 1, sl.gen}
}

func (q *queue) pop() (history.Instant, Handler, uint64, uint64) {
	top := q.heap[0]
	sl := &q.slots[top.slot]
	h, a, b := sl.h, sl.a, sl.b
	q.remove(0)
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
	q.remove(int(q.slots[s].pos))
	q.release(s)
	return true
}

func (q *queue) release(s int32) {
	sl := &q.slots[s]
	sl.h = nil
	sl.gen++
	q.free = append(q.free, s)
}

func (q *queue) remove(i int) {
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if i == last {
		return
	}
	q.heap[i] = moved
	q.slots[moved.slot].pos = int32(i)
	q.down(i)
	q.up(int(q.slots[moved.slot].pos))
}

func less(x, y *entry) bool {
	return x.at < y.at || (x.at == y.at && x.seq < y.seq)
}

func (q *queue) up(i int) {
	e := q.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !less(&e, &q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		q.slots[q.heap[i].slot].pos = int32(i)
		i = parent
	}
	q.heap[i] = e
	q.slots[e.slot].pos = int32(i)
}

func (q *queue) down(i int) {
	e := q.heap[i]
	n := len(q.heap)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if r := child + 1; r < n && less(&q.heap[r], &q.heap[child]) {
			child = r
		}
		if !less(&q.heap[child], &e) {
			break
		}
		q.heap[i] = q.heap[child]
		q.slots[q.heap[i].slot].pos = int32(i)
		i = child
	}
	q.heap[i] = e
	q.slots[e.slot].pos = int32(i)
}
