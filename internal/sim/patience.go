package sim

import "lockstep/internal/history"

// A response timeout hardly ever comes, and a timer for each command would cost
// as much as its execution. All commands of a client wait equally long, so their
// deadlines come in the order of sending: one timer for the oldest is enough,
// and an answered command is forgotten at the next look.

// deadline is how long a client waits for one reply.
type deadline struct {
	at   history.Instant
	call *call
	id   int64 // of the command; the call is reused after it
}

// open reports whether the command still waits.
func (d *deadline) open() bool { return d.call.id == d.id && !d.call.answered }

// fewDeadlines is how many may be kept before answered ones are dropped.
const fewDeadlines = 32

// expect notes the deadline of a command that begins to wait.
func (c *client) expect(l *call) {
	at := c.w.k.Now().Add(c.proc.Clock.TrueFor(c.w.plan.Network.Timeout))
	if len(c.deadlines) >= fewDeadlines {
		c.forgetAnswered()
	}
	c.deadlines = append(c.deadlines, deadline{at, l, l.id})
	if !c.timed {
		c.timed = true
		c.w.k.At(at, (*deadlineComes)(c), 0)
	}
}

func (c *client) forgetAnswered() {
	kept := c.deadlines[:0]
	for _, d := range c.deadlines {
		if d.open() {
			kept = append(kept, d)
		}
	}
	c.deadlines = kept
}

// deadlineComes is the timer of a client's oldest deadline.
type deadlineComes client

// Fire wakes those whose time is up and waits for the next.
func (t *deadlineComes) Fire(uint64) {
	c := (*client)(t)
	c.forgetAnswered()
	due := 0
	for due < len(c.deadlines) && c.deadlines[due].at <= c.w.k.Now() {
		c.deadlines[due].call.timedOut = true
		c.deadlines[due].call.waker.Wake()
		due++
	}
	c.deadlines = append(c.deadlines[:0], c.deadlines[due:]...)
	if c.timed = len(c.deadlines) > 0; c.timed {
		c.w.k.At(c.deadlines[0].at, t, 0)
	}
}
