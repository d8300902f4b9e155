package faults

import "time"

// ClockChange is what a fault has done to the clock of a node: a step, or a new rate.
type ClockChange struct {
	Fault int // 0 when it affects no client that plays
	Node  string
	At    time.Duration // true time
	By    time.Duration // 0 for a new rate
	PPM   int64         // the rate, until the next one
}

// ClockChanged is called by the world in place of Acted, when a fault has changed a clock.
func (e *Engine) ClockChanged(c ClockChange) { e.clocks = append(e.clocks, c) }

// judgeClocks calls Acted for each change by which a clock was wrong by least or more. Steps that
// cancel each other within least have changed nothing; neither has a rate that lasted for too short
// a time.
func (e *Engine) judgeClocks(least time.Duration) {
	for i := range e.clocks {
		c := &e.clocks[i]
		off := e.gained(i)
		if c.By != 0 {
			off = e.stepped(i, least)
		}
		if off.Abs() >= least {
			e.Acted(c.Fault)
		}
	}
}

// stepped returns by how much the clock of a step is stepped within least of it.
func (e *Engine) stepped(i int, least time.Duration) (by time.Duration) {
	c, from, to := &e.clocks[i], i, i+1
	for from > 0 && c.At-e.clocks[from-1].At < least {
		from--
	}
	for to < len(e.clocks) && e.clocks[to].At-c.At < least {
		to++
	}
	for _, o := range e.clocks[from:to] {
		if o.Node == c.Node {
			by += o.By
		}
	}
	return by
}

// gained returns how much a clock gains by a rate until the next one; a rate that is never changed
// counts as long enough.
func (e *Engine) gained(i int) time.Duration {
	c := &e.clocks[i]
	for _, o := range e.clocks[i+1:] {
		if o.Node == c.Node && o.By == 0 {
			return (o.At - c.At) / 1_000_000 * time.Duration(c.PPM)
		}
	}
	return time.Hour * time.Duration(c.PPM)
}
