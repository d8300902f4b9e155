package real

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// The effects of commands on the lock's entry: as declared, and as limited by the other commands.

// survey collects facts about all commands that the effect of each one depends on.
func (d *deriver) survey() {
	d.owners, d.ambiguous = sessionOwners(d.commands), map[string]bool{}
	users := map[string]history.NodeID{}
	for _, c := range d.commands {
		if user, known := users[c.op.Owner]; known && user != c.client {
			d.ambiguous[c.op.Owner] = true
		}
		users[c.op.Owner] = c.client
		d.overwritten = d.overwritten || c.op.About(locks.Key) && (c.op.Does == history.Makes || c.op.Does == history.TakesOver || c.op.Does == history.Anything)
	}
}

// effect returns the possible effect of a command on the entries of the lock.
func (d *deriver) effect(c *command) history.Effect {
	does := c.op.Does
	if does == history.RemovesOwn && c.op.Owner != "" && d.ambiguous[c.op.Owner] {
		does = history.Anything // an entry with this token may be any client's
	}
	switch {
	case c.lost, c.answer.Redirected: // no server has executed it
		return history.Asks
	case does == history.RemovesOwn:
	case d.byKey && c.op.Key != "" && !c.op.About(locks.Key): // such as a counter or a latch
		return history.Asks
	case does == history.RevokesLease && !d.overwritten:
		return history.RemovesOwn
	}
	return does
}

// makes reports whether a command makes or renews an entry.
func (c *command) makes() bool { return c.effect == history.Makes || c.effect == history.MakesNew }

// renewed reports whether a command of the watchdog has renewed its client's entry for a lease from
// the time of sending. An SQL statement does not count: its reply does not tell which rows it
// changed.
func (c *command) renewed() bool {
	alive := c.op.Does == history.KeepsAlive && c.answer.Refused == ""
	return c.answered && (alive || c.op.Key != "" && c.answer.Is(1))
}

// madeNothing reports whether a command failed to make an entry because one existed.
func (c *command) madeNothing() bool {
	return c.answered && c.op.Does == history.MakesNew && (c.answer.Nil || c.answer.Is(0))
}

// removedRows returns the number of entries removed by a successful command: one,
// except for an SQL statement, which may remove more.
func (c *command) removedRows() int {
	if c.op.Name == "DELETE" {
		return max(int(c.answer.Number), 1)
	}
	return 1
}

// survived reports whether some client is known to have seen a grant's entry after an
// instant.
func (d *deriver) survived(g *grant, after history.Instant) bool {
	return slices.ContainsFunc(d.commands, func(c *command) bool {
		return c.answered && c.sent >= after && d.shows(c) == g.owner && d.lastGrant(g.owner, c.sent) == g
	})
}
