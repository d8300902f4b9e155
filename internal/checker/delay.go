package checker

import (
	"time"

	"lockstep/internal/history"
)

// idleAtLeast is how long the lock must be idle at full scale to count as delayed: ten retries of a
// spinning client.
const idleAtLeast = time.Second

// delayed is the rule for the letter L: the lock was safe and never stuck, but
//
//   - an acquire or a release ended with an error, or a client gave up; or
//   - a client that was not frozen waited for longer than max(1 s, lease/4) at a stretch while no
//     client believed that it held the lock.
//
// Waiting for a holder is no delay:
//
//	0 A acquired; 1 B waits; 9 A releasing; 9.1 B acquired      idle for 0.1 s, the time of a retry
//	0 A acquired; 1 B waits; 2 A crashed; 10.1 B acquired       idle for 8.1 s, until A's entry expires
func delayed(h *history.History) bool {
	limit := idleLimit(&h.Header)
	parties := make([]party, len(h.Header.Nodes)+1)
	ready, holding := 0, 0 // clients that wait and run; clients that hold
	idle := false          // whether a client waits and none holds
	var since history.Instant
	for _, i := range h.Milestones() {
		e := &h.Events[i]
		if int(e.Node) >= len(parties) {
			continue
		}
		p := &parties[e.Node]
		wasReady, wasHolding := p.waiting && !p.frozen, p.holding
		switch e.Kind {
		case history.AcquireFailed, history.ReleaseFailed, history.GaveUp:
			return true
		case history.Waits:
			p.waiting = true
		case history.Acquired:
			p.waiting, p.holding = false, true
		case history.Releasing, history.LostLease:
			p.holding = false
		case history.Finished:
			p.waiting = false
		case history.Crashed:
			p.waiting, p.holding, p.frozen = false, false, false
		case history.Froze:
			p.frozen = true
		case history.Thawed:
			p.frozen = false
		default:
			continue
		}
		ready += count(p.waiting && !p.frozen) - count(wasReady)
		holding += count(p.holding) - count(wasHolding)
		now := ready > 0 && holding == 0
		if idle && !now && e.At.Sub(since) > limit {
			return true
		}
		if !idle && now {
			since = e.At
		}
		idle = now
	}
	return idle && h.End().Sub(since) > limit
}

func idleLimit(header *history.Header) time.Duration {
	return max(scaled(header, idleAtLeast), header.Lease/4)
}

// scaled is a duration at the scale of the run.
func scaled(header *history.Header, d time.Duration) time.Duration {
	if ppm := header.ScalePPM; ppm > 0 && ppm < 1_000_000 {
		return d / 1_000_000 * time.Duration(ppm)
	}
	return d
}
