package real

import (
	"slices"

	"lockstep/internal/history"
)

// Conclusions from the number of rows that a statement removed. A table without a unique key
// may have rows of several clients, and DELETE removes all of them at once.

// removesAll reports whether a statement removes the rows of all clients.
func (d *deriver) removesAll(c *command) bool {
	return d.shared && c.op.Does == history.Removes
}

// removedAll reports whether a statement has removed as many rows as there can have been,
// and records their removal.
func (d *deriver) removedAll(by *command, rows int) bool {
	if !d.removesAll(by) || d.mayHaveMadeMore(by.done) {
		return false
	}
	all := slices.DeleteFunc(slices.Clone(d.grants), func(g *grant) bool { return g.gone || g.bound || g.from >= by.done })
	if len(all) != rows {
		return false
	}
	for _, g := range all {
		d.remove(g, by)
	}
	return true
}

// mayHaveMadeMore reports whether a row without a known grant may have existed before an instant.
func (d *deriver) mayHaveMadeMore(before history.Instant) bool {
	return slices.ContainsFunc(d.commands, func(c *command) bool {
		failed := c.answered && (c.answer.Refused != "" && !d.agreed || c.foundNothing())
		return c.makes() && c.sent < before && !failed && !d.hasGranted(c)
	})
}

func (d *deriver) hasGranted(c *command) bool {
	return slices.ContainsFunc(d.grants, func(g *grant) bool { return g.owner == c.client && g.call == c.call })
}

// byElimination infers from a statement that found no row: earlier rows had been removed,
// by a certain command if only one can have done it.
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

// onlyRemover returns the one command of a client that can have removed a grant's row before
// an instant; nil if there are several.
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
