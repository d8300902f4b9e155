package checker

import (
	"time"

	"lockstep/internal/history"
)

// idleAtLeast is how long the lock must be idle at full scale to count as delayed: ten retries of a
// spinning client.
const idleAtLeast = time.Second

// idles follows the rule for the letter L: the lock was safe and never stuck, but
//
//   - an acquire or a release ended with an error, or a client gave up; or
//   - a client that was not frozen waited for longer than max(1 s, lease/4) at a stretch while no
//     client believed that it held the lock.
//
// Waiting for a holder is no delay:
//
//	0 A acquired; 1 B waits; 9 A releasing; 9.1 B acquired      idle for 0.1 s, the time of a retry
//	0 A acquired; 1 B waits; 2 A crashed; 10.1 B acquired       idle for 8.1 s, until A's entry expires
func (t *tally) idles(e *history.Event) {
	if e.Kind == history.AcquireFailed || e.Kind == history.ReleaseFailed || e.Kind == history.GaveUp {
		t.facts.delayed = true
	}
	now := t.ready > 0 && t.holding == 0
	switch {
	case t.idle && !now:
		t.endIdle(e.At)
	case now && !t.idle:
		t.idleSince = e.At
	}
	t.idle = now
}

func (t *tally) endIdle(at history.Instant) {
	if at.Sub(t.idleSince) > idleLimit(&t.h.Header) {
		t.facts.delayed = true
	}
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
