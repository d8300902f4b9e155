package real

import (
	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// What the commands of a run can do to the lock's entry: what each declares, and what follows from the others.

// survey notes what has to be known of all commands before any is looked at.
func (d *deriver) survey(entries []entry) {
	d.owners, d.ambiguous = sessionOwners(entries), map[string]bool{}
	users := map[string]history.NodeID{}
	for i := range entries {
		e := &entries[i]
		if e.Kind != history.Sent {
			continue
		}
		if user, known := users[e.op.Owner]; known && user != e.Node {
			d.ambiguous[e.op.Owner] = true
		}
		users[e.op.Owner] = e.Node
		d.overwritten = d.overwritten || e.op.About(locks.Key) && (e.op.Does == history.Makes || e.op.Does == history.TakesOver || e.op.Does == history.Anything)
	}
}

// effect is what a command can do to the entries of the lock.
func (d *deriver) effect(c *command) history.Effect {
	does := c.op.Does
	if does == history.RemovesOwn && c.op.Owner != "" && d.ambiguous[c.op.Owner] {
		does = history.Anything // an entry with such a word may be any client's
	}
	switch {
	case does == history.RemovesOwn:
	case d.byKey && c.op.Key != "" && !c.op.About(locks.Key): // a counter or a latch beside the lock's entry
		return history.Asks
	case does == history.RevokesLease && !d.overwritten:
		return history.RemovesOwn
	}
	return does
}

// makes reports whether a command makes or renews an entry.
func (c *command) makes() bool { return c.effect == history.Makes || c.effect == history.MakesNew }

// renewed reports whether a command of the watchdog has made its client's entry live for a lease from its
// sending on. A statement does not say which rows it has changed.
func (c *command) renewed() bool {
	alive := c.op.Does == history.KeepsAlive && c.answer.Refused == ""
	return c.answered && (alive || c.op.Key != "" && c.answer.Is(1))
}

// madeNothing reports whether the answer to a command that makes an entry says that it
// did not, for there was one.
func (c *command) madeNothing() bool {
	return c.answered && c.op.Does == history.MakesNew && (c.answer.Nil || c.answer.Is(0))
}

// removedRows is how many entries a command has removed that has removed some: one,
// unless it is the statement of a database, which may remove more.
func (c *command) removedRows() int {
	if c.op.Name == "DELETE" {
		return max(int(c.answer.Number), 1)
	}
	return 1
}

// survived reports whether some client is known to have seen a grant's entry after an
// instant.
func (d *deriver) survived(g *grant, after history.Instant) bool {
	for _, c := range d.commands {
		if c.answered && c.sent >= after && d.shows(c) == g.owner && d.lastGrant(g.owner, c.sent) == g {
			return true
		}
	}
	return false
}

// lastAnswer returns a client's last command of any kind that its business task had
// an answer to before an instant; nil for none.
func (d *deriver) lastAnswer(client history.NodeID, before history.Instant) *command {
	for i := len(d.commands) - 1; i >= 0; i-- {
		c := d.commands[i]
		if c.client == client && c.task == "" && c.answered && c.done <= before {
			return c
		}
	}
	return nil
}
