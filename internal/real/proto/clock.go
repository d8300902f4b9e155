package proto

import "time"

// Clock makes a right clock wrong, by an offset and a drift.
type Clock struct {
	Offset   time.Duration // of the wall clock
	DriftPPM int64         // of the wall clock and the monotonic clock, in millionths
	Since    time.Duration // the true time at which this drift began
	Ahead    time.Duration // how far earlier drifts had brought both clocks ahead by then
}

const million = 1_000_000

// Drifting returns the clock with a new drift from a true time on, without a jump in its readings.
func (c Clock) Drifting(at time.Duration, ppm int64) Clock {
	return Clock{Offset: c.Offset, DriftPPM: ppm, Since: at, Ahead: c.Mono(at) - at}
}

// Mono returns what the monotonic clock shows at a true time.
func (c Clock) Mono(t time.Duration) time.Duration {
	drift, d := time.Duration(c.DriftPPM), t-c.Since
	return t + c.Ahead + d/million*drift + d%million*drift/million
}

// Wall returns what the wall clock shows at a true time, counted from the epoch
// of the run.
func (c Clock) Wall(t time.Duration) time.Duration { return c.Mono(t) + c.Offset }

// Lasts returns how much true time passes while the clock advances by d.
func (c Clock) Lasts(d time.Duration) time.Duration {
	rate := million + time.Duration(c.DriftPPM)
	return d/rate*million + d%rate*million/rate
}
