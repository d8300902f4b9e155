package workload

import (
	"time"

	"lockstep/internal/history"
)

// StartOrder makes the clients of a run begin in order, by events, since a busy machine does not
// keep times:
//
//   - the second client begins when the first one has the lock, or does not get it at once: an attempt
//     failed or was not answered, or the client has died;
//   - each later one begins when the one before it has sent its first request.
//
// No client waits longer than a response may take: some locks give back what they get, again and
// again.
//
// The stagger of the plan is added. Once a fault has begun, it alone counts, since the fault may
// stop the previous client. With a stagger of zero all begin at once.
//
// The world reports events and asks for the next client. It has no clock of its own.
type StartOrder struct {
	stagger time.Duration
	limit   time.Duration // between two beginnings at most
	clients int
	next    int           // the index of the next client; clients when all have begun
	settled bool          // the previous client has come far enough
	from    time.Duration // true time when the next one may begin
	latest  time.Duration // true time when it begins at the latest
	faults  bool          // a fault has begun
}

// NewStartOrder returns the order of some clients, of which the first may begin at once. A response
// takes timeout at most.
func NewStartOrder(clients int, stagger, timeout time.Duration) StartOrder {
	return StartOrder{stagger: stagger, limit: max(stagger, timeout), clients: clients, settled: true}
}

// Next returns the next client and when it may begin, as far as is known; false when all have
// begun.
func (e *StartOrder) Next() (client int, from time.Duration, ok bool) {
	if !e.settled {
		return e.next, e.latest, true
	}
	return e.next, e.from, e.next < e.clients
}

// Begins notes that the next client begins at a true time.
func (e *StartOrder) Begins(now time.Duration) {
	e.next++
	e.from, e.latest = now+e.stagger, now+e.limit
	e.settled = e.faults || e.stagger == 0 || e.next == e.clients
}

// Observe notes an event of a client, and reports whether the next one may begin because of it.
func (e *StartOrder) Observe(client int, kind history.Kind, now time.Duration) bool {
	if e.settled || client != e.next-1 {
		return false
	}
	switch kind {
	case history.Acquired, history.AcquireFailed, history.GaveUp, history.Finished, history.Crashed, history.TimedOut:
	case history.Sent:
		if client == 0 {
			return false
		}
		e.from = now + e.stagger
	default:
		return false
	}
	e.settled = true
	return true
}

// FaultBegins notes that a fault begins, and reports whether the next client may begin because of
// it.
func (e *StartOrder) FaultBegins() bool {
	changed := !e.settled
	e.faults, e.settled = true, true
	return changed
}
