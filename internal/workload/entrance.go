package workload

import (
	"time"

	"lockstep/internal/history"
)

// StartOrder lets the clients of a run begin in their order. A story says who comes first,
// and what happens decides when the next one may come, not a time that a busy machine
// does not keep: on one, B was first in one run of eight, and a pause then met A when
// no other client wanted the lock. So
//
//   - the second client begins when the first one has the lock, or when it is settled
//     that it does not get it at once: an attempt failed or has had no answer, or the
//     client is gone;
//   - each later one when the one before it has sent its first request.
//
// No client waits longer than a response may take: some locks give back what they get, again
// and again.
//
// The stagger of the plan is added, and alone counts once a fault has begun: the fault may
// keep the previous client from getting that far. A stagger of zero asks for no order: all
// begin at once.
//
// Both worlds tell it what happens and ask it who is next. It has no clock of its own.
type StartOrder struct {
	stagger time.Duration
	limit   time.Duration // how long after the one before the next one begins at the latest
	clients int
	next    int           // who begins next, as an index; clients when all have begun
	settled bool          // the one before has come far enough
	from    time.Duration // true time from which on the next one may begin
	latest  time.Duration // true time at which it begins, settled or not
	faults  bool          // a fault has begun
}

// NewStartOrder returns the order of that many clients, none of which has begun. The first
// may begin at once. A response may take as long as timeout.
func NewStartOrder(clients int, stagger, timeout time.Duration) StartOrder {
	return StartOrder{stagger: stagger, limit: max(stagger, timeout), clients: clients, settled: true}
}

// Next returns who begins next and from when on, as far as is known; false when all have
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

// Observe notes what a client has done, and reports whether the next one may come
// because of it.
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

// FaultBegins notes that a fault begins, and reports whether the next client may come
// because of it.
func (e *StartOrder) FaultBegins() bool {
	changed := !e.settled
	e.faults, e.settled = true, true
	return changed
}
