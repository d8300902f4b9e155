package kernel

import "lockstep/internal/history"

// Pacer is the time of code that runs outside the kernel, with goroutines, timers and a clock of
// its own. Without a Pacer, true time jumps to the next event.
type Pacer interface {
	// Until waits for the instant of the next event, or for a request to the kernel before that.
	// It returns the time, at most next, and the requests, to be run like handlers. some is
	// false when there is no next event; the run is over when there are no requests either.
	Until(next history.Instant, some bool) (now history.Instant, requests []func())
}

// KeepPace makes the next Run keep pace with a Pacer's time; Reset ends that.
func (k *Kernel) KeepPace(p Pacer) { k.pacer = p }

// receive waits until the next event is due or requests come, and runs these; false for none.
func (k *Kernel) receive() bool {
	next, some := k.queue.next()
	now, requests := k.pacer.Until(next, some)
	k.queue.now = max(k.queue.now, now)
	for _, f := range requests {
		f()
	}
	return len(requests) > 0
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
