package sim

import (
	"slices"

	"lockstep/internal/history"
)

// Response timeouts are rare, and a timer for each command would cost as much as its execution. All
// commands of a client wait equally long, so one timer for the oldest of them is enough.

type deadline struct {
	at   history.Instant
	call *call
	id   int64 // of the command; the call is reused afterwards
}

func (d deadline) open() bool { return d.call.id == d.id && !d.call.answered }

// fewDeadlines is how many are kept before answered ones are dropped.
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
	c.deadlines = slices.DeleteFunc(c.deadlines, func(d deadline) bool { return !d.open() })
}

// deadlineComes is the timer of a client's oldest deadline.
type deadlineComes client

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
