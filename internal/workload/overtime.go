package workload

import (
	"time"

	"lockstep/internal/history"
)

// ExtendedWork is how much longer the work of one client takes because of faults. They are
// meant for the critical section of the round that the client is in, whether it waits for
// it or works in it already; of one that comes before the first round, for that round's.
// A client that has done its work has none that could be slow: such a fault changes nothing,
// not even the next round.
//
// Both worlds tell it what the client records and take from it when the work is done that
// there is so far, again and again until there is no more. It has no lock of its own.
type ExtendedWork struct {
	by     time.Duration
	faults []int
	over   bool // the work of the present round has been done
}

// Add makes the work take so much longer.
func (o *ExtendedWork) Add(fault int, by time.Duration) {
	if !o.over {
		o.by, o.faults = o.by+by, append(o.faults, fault)
	}
}

// Take returns how much longer the work takes, and the faults that have brought it about;
// 0 when the work is done.
func (o *ExtendedWork) Take() (by time.Duration, faults []int) {
	by, faults = o.by, o.faults
	*o = ExtendedWork{over: by == 0}
	return by, faults
}

// Observe notes what the client has recorded.
func (o *ExtendedWork) Observe(kind history.Kind) {
	switch kind {
	case history.Waits:
		o.over = false
	case history.GaveUp, history.Releasing, history.Finished:
		*o = ExtendedWork{over: true}
	}
}
