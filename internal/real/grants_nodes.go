package real

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/world"
)

// Replies as they are recorded.
var (
	nothing = world.Int(0).String()
	gone    = world.Int(-1).String() // redsync's script: no entry at all
	one     = world.Int(1).String()
	nothere = world.Reply{}.String()
	okay    = world.OK().String()
)

// deriveNodes does what deriveGrants does, for servers that know nothing of each other.
func deriveNodes(entries []entry, ttl time.Duration, o outside) []entry {
	d := deriver{ttl: ttl, words: redisWords(entries), wrongClocks: o.wrongClocks}
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
		_, token, _ := c.aim()
		if first, known := clients[token]; known && first != c.client {
			clients[token] = 0
		} else if !known {
			clients[token] = c.client
		}
	}
	type place struct {
		server history.NodeID
		token  string
	}
	entries := map[place]*grant{}
	for _, c := range d.answered() {
		verb, token, ttl := c.aim()
		at := place{c.server, token}
		switch known := entries[at]; {
		case clients[token] != c.client:
		case verb == "SET" && c.reply == okay:
			entries[at] = d.grant(c, ttl)
		case verb == "lock" && c.reply == nothere && (known == nil || known.gone):
			entries[at] = d.grant(c, d.ttl)
		case verb == "unlock" && (c.reply == nothing || c.reply == gone):
			c.refused = true
		case verb == "unlock" && c.reply == one && known != nil && !known.gone && d.sameServer(known, c):
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

// aim reads what a command wants: SET with NX, or the name of a script, the token
// that it says, and the time to live of a SET.
func (c *command) aim() (verb, token string, ttl time.Duration) {
	args := c.asked.Args
	switch {
	case c.asked.Script && len(args) > 1:
		return c.asked.Name, args[len(args)-1], 0
	case c.asked.Name == "SET" && len(args) > 2 && c.asked.Says("NX"):
		return "SET", args[1], c.asked.Lease()
	}
	return "", "", 0
}

// lost concludes whose entries an operator has removed, and what servers that came
// back empty have forgotten.
func (d *deriver) lost(evictions []*command) {
	for _, c := range evictions {
		g := d.certain(c)
		if c.victim != 0 {
			g = d.lastGrant(c.victim, c.sent)
		}
		if g != nil && !g.gone && c.reply == one {
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
		death := &command{server: back.client, name: "restart", sent: died, done: died}
		if g := d.certain(death); g != nil && (back.empty || g.bound) {
			d.forget(g, back.at)
		}
	}
	for _, m := range d.demotions {
		end := &command{server: m.server, name: "demotion", sent: m.at, done: m.at}
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
