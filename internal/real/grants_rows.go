package real

import (
	"lockstep/internal/history"
)

// What follows from how many rows a statement has removed. A table without a unique key
// has room for the rows of several clients, and DELETE removes all of them at once.

// removesAll reports whether a statement removes the rows of all clients.
func (d *deriver) removesAll(c *command) bool {
	return d.shared && c.op.Does == history.Removes
}

// removedAll concludes that a statement has removed all rows that there can have been,
// because it has removed as many; it reports whether it has.
func (d *deriver) removedAll(by *command, rows int) bool {
	if !d.removesAll(by) || d.mayHaveMadeMore(by.done) {
		return false
	}
	var all []*grant
	for _, g := range d.grants {
		if !g.gone && !g.bound && g.from < by.done {
			all = append(all, g)
		}
	}
	if len(all) != rows {
		return false
	}
	for _, g := range all {
		d.remove(g, by)
	}
	return true
}

// mayHaveMadeMore reports whether there may have been a row before an instant of which
// no grant is known.
func (d *deriver) mayHaveMadeMore(before history.Instant) bool {
	for _, c := range d.commands {
		failed := c.answered && (c.answer.Refused != "" && !d.agreed || c.foundNothing())
		if c.makes() && c.sent < before && !failed && !d.hasGranted(c) {
			return true
		}
	}
	return false
}

func (d *deriver) hasGranted(c *command) bool {
	for _, g := range d.grants {
		if g.owner == c.client && g.call == c.call {
			return true
		}
	}
	return false
}

// byElimination concludes from a statement that found no row at all: those that had been
// there were removed before, and where only one command can have done it, it has.
func (d *deriver) byElimination() {
	for _, c := range d.commands {
		if !c.answered || !d.removesAll(c) || !c.answer.Is(0) {
			continue
		}
		for _, g := range d.grants {
			if g.gone || g.bound || g.through != 0 || g.at >= c.sent {
				continue
			}
			if by := d.onlyRemover(g, c.done); by != nil {
				d.remove(g, by)
			}
		}
	}
}

// onlyRemover returns the command of a client that has removed a grant's row, when no
// other one can have done it before an instant; nil when that is uncertain.
func (d *deriver) onlyRemover(g *grant, before history.Instant) (only *command) {
	for _, c := range d.commands {
		unknown := c.more && c.sent < before && c.done > g.from
		switch {
		case !unknown && !d.mayRemove(c, g, before):
		case only != nil, c.client == 0:
			return nil
		default:
			only = c
		}
	}
	return only
}
