package real

import (
	"slices"

	"lockstep/internal/history"
)

// onNodes infers from single replies: a client asks several servers, so its belief says
// nothing about any one of them. Commands with a token name the owner of the entry that
// they make or remove:
//
//	SET lock T ... NX       OK: T's entry was made
//	EVAL lock ... T         nil: T's entry is there now (Redisson's script)
//	EVAL unlock ... T       1: T's entry was removed
//
// A token that two clients use identifies neither.
func (d *deriver) onNodes() {
	type place struct {
		server history.NodeID
		token  string
	}
	entries := map[place]*grant{}
	for _, c := range d.answered() {
		at, made := place{c.server, c.op.Owner}, c.op.Does == history.MakesNew && !c.madeNothing() && c.answer.Refused == ""
		switch known := entries[at]; {
		case c.op.Owner == "" || d.ambiguous[c.op.Owner]:
		case !c.op.Script && made:
			entries[at] = d.grant(c, c.op.Lease)
		case !c.op.Script:
		case c.op.Name == "lock" && c.answer.Nil && (known == nil || known.gone):
			entries[at] = d.grant(c, d.ttl)
		case c.op.Name == "unlock" && (c.answer.Is(0) || c.answer.Is(-1)):
			c.refused = true
		case c.op.Name == "unlock" && c.answer.Is(1) && known != nil && !known.gone && d.sameServer(known, c):
			d.remove(known, c)
		}
	}
}

// answered returns the commands with a reply, in the order of the replies.
func (d *deriver) answered() []*command {
	out := slices.DeleteFunc(slices.Clone(d.commands), func(c *command) bool { return !c.answered || c.client == 0 })
	slices.SortStableFunc(out, func(a, b *command) int { return int(a.done - b.done) })
	return out
}

// lost infers the owners of entries that an operator removed, and the entries lost by
// servers that came back empty or were demoted.
func (d *deriver) lost(evictions []*command) {
	for _, c := range evictions {
		g := d.certain(c)
		if c.victim != 0 {
			g = d.lastGrant(c.victim, c.sent)
		}
		if g != nil && !g.gone && c.answer.Is(1) {
			d.remove(g, c)
		}
	}
	for _, back := range d.returns {
		died := history.Instant(0)
		for _, m := range d.deaths {
			if m.node == back.node && m.at < back.at {
				died = m.at
			}
		}
		death := &command{server: back.node, sent: died, done: died}
		if g := d.certain(death); g != nil && (back.empty || g.bound) {
			d.forget(g, back.at)
		}
	}
	for _, m := range d.demotions {
		end := &command{server: m.server, sent: m.at, done: m.at}
		if g := d.certain(end); g != nil && m.promoted > 0 && g.from > m.promoted {
			d.forget(g, m.at) // no other server can have a copy
		}
	}
}

// forget records that a server has lost a grant's entry.
func (d *deriver) forget(g *grant, at history.Instant) {
	g.gone = true
	d.add(history.Forgotten, at, g, &command{})
}

// certain returns the grant whose entry must have existed when a command without an
// owner's token was executed; nil for none.
func (d *deriver) certain(by *command) *grant {
	for _, g := range d.grants {
		if !g.gone && g.at < by.sent && d.sameServer(g, by) && d.stillThere(g, by) {
			return g
		}
	}
	return nil
}
