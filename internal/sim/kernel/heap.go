package kernel

// The heap of a queue, in the order of queue.before: indexed, so that any entry can be removed.

func (q *queue) heapPush(e entry) {
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, e)
}

// heapRemove removes an entry by its position. The last entry usually belongs near the bottom, so
// the hole sinks without comparing with it, and the entry rises from there.
func (q *queue) heapRemove(i int) {
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap = q.heap[:last]
	if i < last {
		q.up(q.sink(i), moved)
	}
}

// up puts an entry at a hole, or higher where it belongs.
func (q *queue) up(i int, e entry) {
	heap, slots := q.heap, q.slots
	for i > 0 {
		parent := (i - 1) / 2
		p := &heap[parent]
		if !q.before(&e, p) {
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
			if right := &heap[r]; q.before(right, c) {
				child, c = r, right
			}
		}
		heap[i] = *c
		slots[c.slot].pos = int32(i)
		i = child
	}
}
