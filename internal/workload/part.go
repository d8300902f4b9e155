package workload

import (
	"lockstep/internal/faults"
	"lockstep/internal/history"
)

// PartAfter is the part of its lock that a client is in after an event of its own, p the
// one before. A world uses what its client records, so that both agree.
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
