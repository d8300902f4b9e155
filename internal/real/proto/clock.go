package proto

import "time"

// Clock makes a right clock wrong, by the offset and the drift of the plan.
type Clock struct {
	Offset   time.Duration // of the wall clock
	DriftPPM int64         // of the wall clock and the monotonic clock, in millionths
}

const million = 1_000_000

// Mono returns what the monotonic clock shows at a true time.
func (c Clock) Mono(t time.Duration) time.Duration {
	drift := time.Duration(c.DriftPPM)
	return t + t/million*drift + t%million*drift/million
}

// Wall returns what the wall clock shows at a true time, counted from the epoch
// of the run.
func (c Clock) Wall(t time.Duration) time.Duration { return c.Mono(t) + c.Offset }

// Lasts returns how much true time passes while the clock advances by d.
func (c Clock) Lasts(d time.Duration) time.Duration {
	rate := million + time.Duration(c.DriftPPM)
	return d/rate*million + d%rate*million/rate
}
