package kernel

import (
	"time"

	"lockstep/internal/history"
)

// Proc is a process: tasks that freeze and die together, and their clock.
type Proc struct {
	Clock Clock

	k          *Kernel
	name       string
	frozen     bool
	dead       bool
	held       []*Task // woken while frozen, in the order of waking
	background Ctx
}

// Begin makes p, which no other run uses, a new process.
func (k *Kernel) Begin(p *Proc, name string, c Clock) {
	*p = Proc{k: k, name: name, Clock: c, held: p.held[:0]}
	p.background = Ctx{k: k, proc: p}
}

// Name returns the name that Begin was given.
func (p *Proc) Name() string { return p.name }

// Frozen reports whether the process is stopped.
func (p *Proc) Frozen() bool { return p.frozen }

// Dead reports whether the process was killed.
func (p *Proc) Dead() bool { return p.dead }

// Freeze stops the process: none of its tasks runs, but its timers fire and its messages arrive, as
// in a stop-the-world pause. A running task of the process stops at its next Checkpoint.
func (p *Proc) Freeze() { p.frozen = true }

// Thaw resumes the process. Its tasks go on in the order in which they were woken meanwhile.
func (p *Proc) Thaw() {
	if !p.frozen {
		return
	}
	p.frozen = false
	p.k.ready = append(p.k.ready, p.held...)
	p.held = p.held[:0]
}

// Kill ends the process: its tasks never run again.
func (p *Proc) Kill() { p.dead = true }

// Background is the context that never ends.
func (p *Proc) Background() *Ctx { return &p.background }

// Clock maps true time to what a node's clocks show. The monotonic clock runs
// at a rate of 1 + DriftPPM/1e6; the wall clock is Offset ahead of it.
type Clock struct {
	Offset   time.Duration
	DriftPPM int64

	since history.Instant // when the current rate began
	base  time.Duration   // what the monotonic clock showed then
}

// SetDrift changes the clock's rate from a true instant on, without a jump.
func (c *Clock) SetDrift(at history.Instant, ppm int64) {
	c.base = c.Mono(at)
	c.since, c.DriftPPM = at, ppm
}

const million = 1_000_000

// Mono returns the monotonic clock's reading at a true instant.
func (c Clock) Mono(at history.Instant) time.Duration {
	d := int64(at - c.since)
	if c.DriftPPM == 0 {
		return c.base + time.Duration(d)
	}
	// Split so that neither product can overflow; rounded down, as a clock is.
	gain := d % million * c.DriftPPM
	whole := gain / million
	if gain%million < 0 {
		whole--
	}
	return c.base + time.Duration(d+d/million*c.DriftPPM+whole)
}

// Wall returns the wall clock's reading, as time since the epoch of the run.
func (c Clock) Wall(at history.Instant) time.Duration { return c.Mono(at) + c.Offset }

// TrueFor returns how much true time passes until the clock has advanced by d. It rounds up, so
// that a task that sleeps until a deadline of its own clock does not wake before it.
func (c Clock) TrueFor(d time.Duration) time.Duration {
	if c.DriftPPM == 0 {
		return d
	}
	rate := million + c.DriftPPM
	n := int64(d)
	return time.Duration(n/rate*million + (n%rate*million+rate-1)/rate)
}
