package kernel

import "lockstep/internal/history"

// Pacer is a time that a kernel keeps pace with: that of code which is no task of the
// kernel, and which has its own goroutines, timers and clock. Without one, true time jumps
// to the next event.
type Pacer interface {
	// Until waits for the instant of the next event, or for a request to the
	// kernel before that. It returns what time it is, never later than next, and
	// what is wanted: functions that may do all that a handler may. some is false when
	// there is no next event; when nothing is returned then, the run is over.
	Until(next history.Instant, some bool) (now history.Instant, wanted []func())
}

// KeepPace makes the next Run keep pace with a Pacer's time; Reset ends that.
func (k *Kernel) KeepPace(p Pacer) { k.pacer = p }

// receive waits until the next event is due, and lets those in who come before it; false
// when there were none.
func (k *Kernel) receive() bool {
	next, some := k.queue.next()
	now, wanted := k.pacer.Until(next, some)
	k.queue.now = max(k.queue.now, now)
	for _, f := range wanted {
		f()
	}
	return len(wanted) > 0
}

// next returns the instant of the next event; false when there is none.
func (q *queue) next() (history.Instant, bool) {
	switch {
	case q.nearLen > 0:
		return q.near[q.nearLen-1].at, true
	case len(q.heap) > 0:
		return q.heap[0].at, true
	}
	return 0, false
}
