package real

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// deriveNodes does what deriveGrants does, for servers that know nothing of each other.
func deriveNodes(entries []entry, ttl time.Duration, o outside) []entry {
	d := deriver{ttl: ttl, traits: redisTraits, wrongClocks: o.wrongClocks}
	d.collect(entries, o.evictions)
	d.onNodes()
	d.lost(o.evictions)
	d.doubts()
	return d.out
}

// onNodes concludes from single replies: one client asks several servers, and what
// it believes says nothing about one of them. Two kinds of commands leave no doubt
// by themselves, because they say whose entry they make or remove:
//
//	SET lock T ... NX       OK: T's entry was made
//	EVAL lock ... T         nil: T's entry is there now (Redisson's script)
//	EVAL unlock ... T       1: T's entry was removed
//
// A token that two clients use says nothing.
func (d *deriver) onNodes() {
	clients := map[string]history.NodeID{}
	for _, c := range d.commands {
		if first, known := clients[c.op.Owner]; known && first != c.client {
			clients[c.op.Owner] = 0
		} else if !known {
			clients[c.op.Owner] = c.client
		}
	}
	type place struct {
		server history.NodeID
		token  string
	}
	entries := map[place]*grant{}
	for _, c := range d.answered() {
		at, made := place{c.server, c.op.Owner}, c.op.Does == history.MakesNew && !c.madeNothing() && c.answer.Refused == ""
		switch known := entries[at]; {
		case c.op.Owner == "" || clients[c.op.Owner] != c.client:
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
	var out []*command
	for _, c := range d.commands {
		if c.answered && c.client != 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *command) int { return int(a.done - b.done) })
	return out
}

// lost concludes whose entries an operator has removed, and what servers that came
// back empty have forgotten.
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
			if m.client == back.client && m.at < back.at {
				died = m.at
			}
		}
		death := &command{server: back.client, sent: died, done: died}
		if g := d.certain(death); g != nil && (back.empty || g.bound) {
			d.forget(g, back.at)
		}
	}
	for _, m := range d.demotions {
		end := &command{server: m.server, sent: m.at, done: m.at}
		if g := d.certain(end); g != nil && m.promoted > 0 && g.from > m.promoted {
			d.forget(g, m.at) // no replica was left that could have had it
		}
	}
}

// forget says that a server has lost a grant's entry.
func (d *deriver) forget(g *grant, at history.Instant) {
	g.gone = true
	d.add(history.Forgotten, at, g, &command{})
}

// certain returns the grant whose entry must have existed until a command was
// executed that asks for no owner; nil when there is no such grant.
func (d *deriver) certain(by *command) *grant {
	for _, g := range d.grants {
		if !g.gone && g.at < by.sent && d.sameServer(g, by) && d.stillThere(g, by) {
			return g
		}
	}
	return nil
}
