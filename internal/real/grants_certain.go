package real

import (
	"slices"

	"lockstep/internal/history"
	"lockstep/internal/ports"
)

// Facts about an entry that hold for every order of the commands under way.

// sameServer reports whether a command went to the server of a grant, and the server neither
// died in between nor became a replica, which loses entries that its new primary lacks.
func (d *deriver) sameServer(g *grant, by *command) bool {
	if d.shared && !g.bound {
		return true
	}
	return g.server == by.server && !d.died(g.server, g.from, by.done)
}

// died reports whether a client or a server died in a span of time.
func (d *deriver) died(node history.NodeID, from, until history.Instant) bool {
	return slices.ContainsFunc(d.deaths, func(i incident) bool {
		return i.node == node && i.at > from && i.at < until
	})
}

// stillThere reports whether a grant's entry must have existed until a command
// of a release removed it.
func (d *deriver) stillThere(g *grant, by *command) bool {
	ownRelease := func(i incident) bool { return i.node == g.owner && i.at > g.at && i.at < by.done && !i.nothing }
	if g.owner != by.client && slices.ContainsFunc(d.begins, ownRelease) {
		return false
	}
	if g.bound && d.died(g.owner, g.at, by.done) {
		return false
	}
	if g.through != 0 && (d.wrongClocks[g.server] || d.livesThrough(g, by.sent) <= by.done) {
		return false
	}
	return !slices.ContainsFunc(d.commands, func(c *command) bool { return c != by && d.mayRemove(c, g, by.done) })
}

// livesThrough returns the earliest time at which an entry can expire: its lease counts
// from the sending of the last command that is known to have set it.
func (d *deriver) livesThrough(g *grant, before history.Instant) history.Instant {
	through := g.through
	for _, c := range d.commands {
		if c.client == g.owner && c.task == ports.Watchdog && c.renewed() &&
			c.sent > g.from && c.done < before {
			through = max(through, c.sent.Add(d.ttl))
		}
	}
	return through
}

// mayRemove reports whether a command may have removed a grant's entry before
// an instant. Commands whose reply says that they found nothing did not, and
// those without a reply may have been executed at any time after they were sent.
func (d *deriver) mayRemove(c *command, g *grant, before history.Instant) bool {
	switch {
	case c.server != g.server && !d.shared, c.sent >= before, c.task == ports.Watchdog:
		return false
	case !c.effect.Changes() || c.makes() || c.effect == history.Queues:
		return false
	case c.client != g.owner && (c.effect == history.RemovesOwn || c.effect == history.EndsSession || c.effect == history.RevokesLease),
		c.client == g.owner && c.effect == history.TakesOver:
		return false
	case c.executed:
		onlyOne := g.alone && c.removed && !c.more // it has removed another entry
		return !onlyOne && c.done > g.from && !d.survived(g, c.done)
	case !c.answered:
		return true
	case c.removed || c.foundNothing() || c.done <= g.from:
		return false
	default:
		return c.releasing || c.effect != history.RemovesOwn
	}
}

// onlyOwn reports whether only a grant's owner can have made an entry since: then any
// entry there is the owner's.
func (d *deriver) onlyOwn(g *grant, by *command) bool {
	for _, other := range d.grants {
		if other != g && other.at > g.from && other.from < by.done {
			return false
		}
	}
	for _, c := range d.commands {
		known := c.answered || (c.executed && c.done <= g.from)
		if c.client != g.owner && !known && c.effect.Changes() && c.sent < by.done {
			return false
		}
	}
	return true
}

// byCreation infers from an entry that can be made only if none exists: the previous one
// is gone. If it cannot have expired, and only one command can have removed it, that
// command has, even if its reply was lost:
//
//	A                   DELETE .....ok -
//	B                        CREATE ......ok
//
// Otherwise the DELETE would count as one that may have removed B's new node.
func (d *deriver) byCreation() {
	for _, next := range d.grants {
		for _, g := range d.grants {
			if !next.alone || g.gone || g.bound || g.at >= next.from || d.livesThrough(g, next.from) <= next.at {
				continue
			}
			if by := d.onlyRemover(g, next.at); by != nil && by.done <= next.at {
				d.remove(g, by)
			}
		}
	}
}
