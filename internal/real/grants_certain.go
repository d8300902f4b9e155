package real

import (
	"lockstep/internal/history"
	"lockstep/internal/ports"
)

// What is certain about an entry while commands are under way.

// sameServer reports whether a command went to the server of a grant, which has not
// died in between, nor become a replica, which forgets what its new primary has not.
func (d *deriver) sameServer(g *grant, by *command) bool {
	if d.shared && !g.bound {
		return true
	}
	return g.server == by.server && !d.died(g.server, g.from, by.done)
}

// died reports whether a client or a server died in a span of time.
func (d *deriver) died(node history.NodeID, from, until history.Instant) bool {
	for _, m := range d.deaths {
		if m.client == node && m.at > from && m.at < until {
			return true
		}
	}
	return false
}

// stillThere reports whether a grant's entry must have existed until a command
// of a release removed it.
func (d *deriver) stillThere(g *grant, by *command) bool {
	if g.owner != by.client {
		for _, b := range d.begins {
			if b.client == g.owner && b.at > g.at && b.at < by.done && !b.vain {
				return false // its owner may have been faster
			}
		}
	}
	if g.bound && d.died(g.owner, g.at, by.done) {
		return false
	}
	if g.through != 0 && (d.wrongClocks[g.server] || d.livesThrough(g, by.sent) <= by.done) {
		return false
	}
	for _, c := range d.commands {
		if c != by && d.mayRemove(c, g, by.done) {
			return false
		}
	}
	return true
}

// livesThrough returns until when an entry certainly lives: its lease counts
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
		onlyOne := g.alone && c.removed && !c.more // and has removed another one
		return !onlyOne && c.done > g.from && !d.survived(g, c.done)
	case !c.answered:
		return true
	case c.removed || c.foundNothing() || c.done <= g.from:
		return false
	default:
		return c.releasing || c.effect != history.RemovesOwn
	}
}

// nobodyElse reports whether only a grant's owner can have made an entry since: then any
// entry there is the owner's, however late it is.
func (d *deriver) nobodyElse(g *grant, by *command) bool {
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

// byCreation concludes from an entry that is made only where there is none: the one that
// was there before is gone by then. If it cannot have run out, and only one command can
// have removed it, that one has, although its reply may have been lost:
//
//	A                   DELETE .....ok -
//	B                        CREATE ......ok
//
// Else it would look as if the DELETE may have hit B's new node.
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
