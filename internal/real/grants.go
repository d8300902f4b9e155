package real

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// Redis reports when it makes or removes an entry (see account.go). For other servers
// deriveGrants derives grants from the clients' commands and replies, and returns only
// certain ones.
//
// A client knows when it sent a command and when the reply came. The server executed it
// between the two, so every conclusion is about intervals:
//
//	A  SET ......ok                                DEL ........1
//	            [A holds .... frozen ............]
//	B                     SET ......ok
//	                                [B holds ....................]
//	   --------------------------------------------------------------> time
//	                      g        r               s          t
//
// B's entry was made in [g, r]. A's DEL removed some entry in [s, t], by its reply.
// That entry was B's, whatever the server's exact times were, because
//
//   - B's entry existed before s (r < s), and B did not remove it before t: B had not
//     begun its release;
//   - it did not expire before t: it lives at least until g + lease, or for a lease after
//     its watchdog sent the last successful renewal, and the server's clock is right;
//   - no other client can have removed it before and let a third one in: no other release
//     was under way or has an unknown outcome;
//   - the server was the same one throughout.
//
// If one condition fails, no grant is derived. Suppose the DEL is sent at the very beginning
// of B's hold: with s < r, it may have removed A's own old entry just before B's SET.
//
// A removal of the client's own entry is derived in the same way. An expiry is not: only
// the server knows when it happened.

// command is one command of one client, as seen by the client.
type command struct {
	callID
	server     history.NodeID
	op         history.Op
	words      string // see entry
	task       string
	sent, done history.Instant // done: when the reply came or was lost on the way, or when the client gave up
	answered   bool
	answer     history.Answer
	executed   bool           // its reply was lost on the way, so it was executed before done
	releasing  bool           // sent within a release
	again      bool           // an earlier command of the same release may have removed something
	lost       bool           // its request was lost on the way to the server
	broken     bool           // its connection ended before an answer came
	refused    bool           // sent within a release that found nothing to remove
	removed    bool           // is known to have removed a certain entry
	more       bool           // has also removed entries of unknown owners
	effect     history.Effect // see deriver.effect
	session    string         // of an operator's removal: the lease or session that it ended, or ""
	victim     history.NodeID // of the same: the owner of the entry, 0 if unknown
}

// grant is an entry that a server is known to have made.
type grant struct {
	owner   history.NodeID
	server  history.NodeID
	from    history.Instant // made no earlier than this; its lease counts from here
	at      history.Instant // made no later than this
	call    int64
	through history.Instant // it cannot expire before this; 0: it has no lease
	bound   bool            // to a connection: it ends with its client, or with the server
	gone    bool            // a release is known to have removed it
	alone   bool            // it could be made only because no other entry existed
}

// traits are properties of all servers of a kind.
type traits struct {
	// elsewhere: an entry lives as long as a session or a lease, which was opened
	// by a separate command.
	elsewhere bool
	// shared: all servers have the same entries, which survive the death of any server.
	shared bool
	// agreed: a server that makes an entry only if there is none knows all entries.
	agreed bool
	// byKey: only commands about the lock's own key change its entry.
	byKey bool
	// apart: each server has entries of its own, and clients ask several.
	apart bool
}

// deriveGrants returns the Granted and Removed events that follow for certain
// from a sorted list of events, and a MayHaveRemoved for each command that may have removed
// an entry of an unknown owner. ttl is the lease that the lock asks for, 0 for a lock
// without one.
func deriveGrants(entries []entry, t traits, ttl time.Duration, o interference) []entry {
	d := deriver{ttl: ttl, traits: t, wrongClocks: o.wrongClocks}
	d.collect(entries, o.evictions)
	if t.apart {
		d.onNodes()
	} else {
		d.onPrimary(entries)
	}
	d.lost(o.evictions)
	d.doubts()
	return d.out
}

// interference is what affects entries and is not visible in the commands of clients.
type interference struct {
	evictions   []*command              // removals by an operator
	wrongClocks map[history.NodeID]bool // servers whose expiry times are unknown
}

// onPrimary infers from the clients' beliefs: they acquire and release on one server
// at a time.
func (d *deriver) onPrimary(entries []entry) {
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case history.Acquired:
			d.acquired(e)
		case history.Released:
			if by := d.freedBy(e); by != nil {
				d.releases = append(d.releases, by)
			}
		}
	}
	d.byCreation()
	// After all grants: a client whose reply comes later may have been granted earlier.
	for _, by := range d.releases {
		d.released(by)
	}
	d.byElimination()
}

type deriver struct {
	traits
	ttl         time.Duration
	owners      map[string]history.NodeID // see sessionOwners
	ambiguous   map[string]bool           // owner tokens that more than one client has used
	overwritten bool                      // a client may have overwritten another client's entry
	wrongClocks map[history.NodeID]bool
	commands    []*command // in the order in which they were sent
	begins      []incident // of releases
	deaths      []incident // of clients and servers, and of primaries that became replicas
	returns     []incident // of servers
	demotions   []demotion
	grants      []*grant   // in the order of their replies
	releases    []*command // the last command of each release that removed an entry
	out         []entry
}

// incident is an event of a client or a server.
type incident struct {
	node    history.NodeID
	at      history.Instant
	nothing bool // the release found nothing to remove
	empty   bool // the server has lost all entries
}

// demotion is a primary becoming a replica of its successor.
type demotion struct {
	server       history.NodeID
	promoted, at history.Instant
}

// commandsOf returns the commands of clients in the order in which they were sent, from a sorted
// list of events.
func commandsOf(entries []entry) (all []*command) {
	open := map[callID]*command{}
	for i := range entries {
		e := &entries[i]
		by := callID{e.Node, e.call}
		if e.Kind == history.ReplyDropped {
			by.client = e.Peer
		}
		switch c := open[by]; {
		case e.Kind == history.Sent:
			open[by] = &command{callID: by, server: e.server, op: e.op, words: e.words, task: e.task, sent: e.At}
			all = append(all, open[by])
		case c == nil:
		case e.Kind == history.RequestDropped:
			c.lost = true
		case e.Kind == history.ReplyDropped:
			c.done, c.executed = e.At, true
		case e.Kind == history.Replied, e.Kind == history.TimedOut:
			if c.broken = e.broken; !c.executed {
				c.done, c.answered, c.answer = e.At, e.Kind == history.Replied, e.answer
			}
		}
	}
	return all
}

// collect reads the commands and the beginnings of releases.
func (d *deriver) collect(entries []entry, evictions []*command) {
	d.commands = commandsOf(entries)
	d.survey()
	next := 0                                    // of the commands
	releasing := map[history.NodeID][]*command{} // the commands of the release under way
	active := map[history.NodeID]bool{}
	promoted := map[history.NodeID]history.Instant{} // when a server last became the primary
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case history.Sent:
			c := d.commands[next]
			next++
			c.effect = d.effect(c)
			if active[e.Node] && c.task == "" {
				c.releasing = true
				for _, before := range releasing[e.Node] {
					c.again = c.again || before.effect.Changes() && before.op.Name == c.op.Name
				}
				releasing[e.Node] = append(releasing[e.Node], c)
			}
		case history.Crashed:
			d.deaths = append(d.deaths, incident{node: e.Node, at: e.At})
		case history.Restarted:
			d.returns = append(d.returns, incident{node: e.Node, at: e.At, empty: e.empty})
		case history.Promoted:
			promoted[e.Node] = e.At
		case history.Demoted:
			d.deaths = append(d.deaths, incident{node: e.Node, at: e.At})
			d.demotions = append(d.demotions, demotion{e.Node, promoted[e.Peer], e.At})
		case history.Releasing:
			active[e.Node], releasing[e.Node] = true, nil
			d.begins = append(d.begins, incident{node: e.Node, at: e.At})
		case history.Released, history.NotHeld, history.ReleaseFailed:
			active[e.Node] = false
			d.noteNothing(e)
			for _, c := range releasing[e.Node] {
				c.refused = e.Kind == history.NotHeld
			}
		}
	}
	d.commands = append(d.commands, evictions...)
}

// noteNothing notes at the beginning of a release whether it found nothing to remove.
func (d *deriver) noteNothing(e *entry) {
	for i := len(d.begins) - 1; i >= 0; i-- {
		if d.begins[i].node == e.Node {
			d.begins[i].nothing = e.Kind == history.NotHeld
			return
		}
	}
}

// lastAnswer returns a client's last command of its business task that was answered before an
// instant and that fits; nil for none.
func (d *deriver) lastAnswer(client history.NodeID, before history.Instant, fits func(*command) bool) *command {
	for _, c := range slices.Backward(d.commands) {
		if c.client == client && c.task == "" && c.answered && c.done <= before && fits(c) {
			return c
		}
	}
	return nil
}

// changed reports whether a command outside of a release may have changed something.
func (c *command) changed() bool { return !c.releasing && c.effect.Changes() }

// freed reports whether a command of a release may have changed something.
func (c *command) freed() bool { return c.releasing && c.effect.Changes() }

// freedBy returns the command by which a release freed its client's entry, nil for none. If the
// release gave the entry back before it ended the session, it is the first of the two.
func (d *deriver) freedBy(e *entry) *command {
	last := d.lastAnswer(e.Node, e.At, (*command).freed)
	if last == nil || last.effect != history.EndsSession {
		return last
	}
	before := d.lastAnswer(e.Node, last.sent, (*command).freed)
	if before == nil || before.effect != history.RemovesOwn || before.sent < d.beginOfRelease(e) {
		return last
	}
	return before
}

// beginOfRelease returns the beginning of the release that an event ends.
func (d *deriver) beginOfRelease(e *entry) (at history.Instant) {
	for _, b := range d.begins {
		if b.node == e.Node && b.at <= e.At {
			at = b.at
		}
	}
	return at
}

// acquired infers that the server has made an entry for the client.
func (d *deriver) acquired(e *entry) {
	c := d.lastAnswer(e.Node, e.At, (*command).changed)
	if c == nil || c.madeNothing() {
		return // a client that ignores the answer believes in an entry that does not exist
	}
	if c.effect == history.Queues {
		c = d.lastAnswer(e.Node, e.At, func(*command) bool { return true })
	}
	d.grant(c, d.ttl)
}

// grant records that a command has made an entry for its client.
func (d *deriver) grant(c *command, ttl time.Duration) *grant {
	g := &grant{owner: c.client, server: c.server, from: c.sent, at: c.done, call: c.call, bound: c.op.Bound, alone: d.agreed && c.op.Does == history.MakesNew}
	switch {
	case ttl > 0 && d.elsewhere:
		g.through = c.sent
	case ttl > 0:
		g.through = c.sent.Add(ttl)
	}
	d.grants = append(d.grants, g)
	d.add(history.Granted, g.at, g, c)
	d.out[len(d.out)-1].Value = int64(ttl)
	return g
}

// remove records that a command has removed a grant's entry.
func (d *deriver) remove(g *grant, by *command) {
	g.gone, by.removed = true, true
	d.add(history.Removed, by.done, g, by)
}

func (d *deriver) add(kind history.Kind, at history.Instant, g *grant, by *command) {
	d.out = append(d.out, entry{
		Event: history.Event{
			At: at, Kind: kind, Node: g.server, Peer: by.client, Owner: g.owner, Cause: history.NoCause,
		},
		text: locks.Key, call: by.call,
	})
}

// released infers the owner of the entry that the last command of a release has removed, if it
// is certain. After a retry, an earlier command may have removed the client's own entry:
// Redisson's script repeats the answer.
func (d *deriver) released(by *command) {
	if by.answer.Is(0) { // a re-entrant lock is still held
		return
	}
	entries := by.removedRows()
	if d.removedAll(by, entries) {
		return
	}
	for _, g := range d.grants {
		if g.gone || g.at >= by.sent || !d.sameServer(g, by) || by.again && g.owner != by.client {
			continue
		}
		if by.effect == history.RemovesOwn {
			if g == d.lastGrant(by.client, by.sent) {
				d.remove(g, by)
				return
			}
			continue
		}
		if by.effect == history.RevokesLease {
			if g == d.lastGrant(by.client, by.sent) && d.onlyOwn(g, by) {
				d.remove(g, by)
			}
			continue
		}
		if !d.stillThere(g, by) && !(g.owner == by.client && d.onlyOwn(g, by)) {
			continue
		}
		d.remove(g, by)
		if entries--; entries == 0 {
			return
		}
	}
	by.more = by.removed
}

// lastGrant returns the last grant of a client before an instant; nil for none.
func (d *deriver) lastGrant(client history.NodeID, before history.Instant) (last *grant) {
	for _, g := range d.grants {
		if g.owner == client && g.at < before {
			last = g
		}
	}
	return last
}
