package checker

import (
	"time"

	"lockstep/internal/history"
)

// idleAtLeast is how long the lock must stand idle at full scale before that
// counts as a delay: ten retries of a spinning client.
const idleAtLeast = time.Second

// delayed is the rule for the letter L: the lock was safe and never stuck, but
// it made a client wait or fail for no good reason. That is so when
//
//   - an acquire or a release ended with an error, or a client ran out of
//     patience; or
//   - a client that could run waited, without a break, for longer than
//     max(1 s, lease/4) while no client believed that it held the lock.
//
// Waiting for a holder is no delay, that is what a lock is for: with
//
//	0 A acquired; 1 B waits; 9 A releasing; 9.1 B acquired
//
// the lock stood idle for 0.1 s, the time of a retry. With
//
//	0 A acquired; 1 B waits; 2 A crashed; 10.1 B acquired
//
// it stood idle for 8.1 s, because the entry of a dead client had to expire.
// A frozen waiter does not count: a lock cannot serve a client that is not
// there. The 1 s is scaled like every duration of the scenario.
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

// idleLimit is max(1 s, lease/4), both as long as the run's scale makes them.
func idleLimit(header *history.Header) time.Duration {
	return max(scaled(header, idleAtLeast), header.Lease/4)
}

// scaled is a duration as long as the run's scale makes it.
func scaled(header *history.Header, d time.Duration) time.Duration {
	if ppm := header.ScalePPM; ppm > 0 && ppm < 1_000_000 {
		return d / 1_000_000 * time.Duration(ppm)
	}
	return d
}
