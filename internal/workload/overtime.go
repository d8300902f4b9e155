package workload

import (
	"time"

	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// ExtendedWork is how much longer the work of one client takes because of faults. A fault extends
// the critical section of the client's current round, or of the first one before that begins. It
// changes nothing when the work of the round is done.
//
// The world reports the client's events, and calls Take when the work is done, until nothing is
// left.
type ExtendedWork struct {
	by     time.Duration
	faults []int
	over   bool // the work of the current round is done
}

// Add extends the work.
func (o *ExtendedWork) Add(fault int, by time.Duration) {
	if !o.over {
		o.by, o.faults = o.by+by, append(o.faults, fault)
	}
}

// Take returns how much longer the work takes, and because of which faults; 0 when it is done.
func (o *ExtendedWork) Take() (by time.Duration, faults []int) {
	by, faults = o.by, o.faults
	*o = ExtendedWork{over: by == 0}
	return by, faults
}

// Observe notes an event of the client.
func (o *ExtendedWork) Observe(kind history.Kind) {
	switch kind {
	case history.Waits:
		o.over = false
	case history.GaveUp, history.Releasing, history.Finished:
		*o = ExtendedWork{over: true}
	}
}

// PartAfter returns the part of its lock that a client is in after one of its events; p is the part
// before.
func PartAfter(p faults.Part, e history.Kind) faults.Part {
	switch e {
	case history.Waits:
		return faults.Acquire
	case history.Releasing:
		return faults.Release
	case history.Acquired, history.GaveUp, history.Released, history.NotHeld, history.ReleaseFailed:
		return faults.NoPart
	}
	return p
}
