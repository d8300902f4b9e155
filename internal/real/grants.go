package real

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/locks"
)

// Redis reports when it makes or removes an entry (see account.go). For other servers
// deriveGrants derives grants from what the clients saw, and returns only certain ones.
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
//   - B's entry existed before s (r < s), and B, which holds, did not remove it
//     before t: it had not even begun its release;
//   - it did not run out before t: it lives until g + lease at least, or until
//     the lease after the sending of its watchdog's last successful renewal, and the
//     server's clock is right;
//   - no other client can have removed it before and let a third one in: there is no
//     other release whose command was under way or whose outcome is unknown;
//   - the server is the same one all the time.
//
// If one condition fails, no grant is derived. Move the DEL to the very beginning of B's
// hold: with s < r, it may have removed A's own old entry just before B's SET, and B was
// not robbed.
//
// A removal of the client's own entry is derived in the same way. An expiry is not: only
// the server knows when it happened.

// command is one command of one client, as the client saw it.
type command struct {
	wire
	server     history.NodeID
	op         history.Op
	words      string // see entry
	task       string
	sent, done history.Instant // done: when the reply came, or when the client gave up
	answered   bool
	answer     history.Answer
	executed   bool           // its reply was lost on the way, so it was executed before done
	releasing  bool           // sent within a release
	again      bool           // is not the first of its release that may have removed something
	lost       bool           // its request was lost on the way to the server
	broken     bool           // its connection ended before an answer came
	refused    bool           // sent within a release that found nothing to remove
	removed    bool           // is known to have removed a certain entry
	more       bool           // has removed others besides, of unknown owners
	effect     history.Effect // see deriver.effect
	session    string         // of an operator's removal: which lease or session it ended; "" when none
	victim     history.NodeID // of the same: whose entry it was, when that is known
}

// grant is an entry that a server is known to have made.
type grant struct {
	owner   history.NodeID
	server  history.NodeID
	from    history.Instant // made no earlier than this; its lease counts from here
	at      history.Instant // made no later than this
	call    int64
	through history.Instant // it cannot have run out before; 0: it has no lease
	bound   bool            // to a connection: it ends with its client, or with the server
	gone    bool            // a release is known to have removed it
	alone   bool            // it was made only where there was none
}

// traits are what is known of all servers of a kind.
type traits struct {
	// elsewhere: the life of an entry is that of a session or a lease, which began
	// with another command than the one that made the entry.
	elsewhere bool
	// shared: what one server says all of them say, and entries survive the death of
	// any of them.
	shared bool
	// agreed: a server that makes an entry where there is none knows of all that there are.
	agreed bool
	// byKey: only what is about the lock's own key changes its entry.
	byKey bool
}

// deriveGrants returns the Granted and Removed events that follow for certain
// from a sorted list of events, and a MayHaveRemoved for each command that may have removed
// an entry when nothing follows about whose it was. ttl is the lease that the lock asks for,
// 0 for a lock without one.
func deriveGrants(entries []entry, t traits, ttl time.Duration, o outside) []entry {
	d := deriver{ttl: ttl, traits: t, wrongClocks: o.wrongClocks}
	d.collect(entries, o.evictions)
	d.onPrimary(entries)
	d.lost(o.evictions)
	d.doubts()
	return d.out
}

// outside is what happened to servers besides the commands of clients.
type outside struct {
	evictions   []*command              // what an operator did
	wrongClocks map[history.NodeID]bool // when an entry runs out there is unknown
}

// onPrimary concludes from what clients believe: there is one server at a time,
// and clients acquire and release there.
func (d *deriver) onPrimary(entries []entry) {
	for i := range entries {
		switch e := &entries[i]; e.Kind {
		case history.Acquired:
			d.acquired(e)
		case history.Released:
			by := d.freedBy(e)
			d.releases = append(d.releases, release{e.Node, by, by != nil && by.again})
		}
	}
	d.byCreation()
	// Only now: a client whose reply comes later may have been granted before.
	for _, r := range d.releases {
		d.released(r)
	}
	d.byElimination()
}

type deriver struct {
	traits
	ttl         time.Duration
	owners      map[string]history.NodeID // see sessionOwners
	ambiguous   map[string]bool           // words for an owner that more than one client has used
	overwritten bool                      // a client may have overwritten another client's entry
	wrongClocks map[history.NodeID]bool
	commands    []*command // in the order in which they were sent
	begins      []mark     // of releases
	deaths      []mark     // of clients and servers, and of primaries that became replicas
	returns     []mark     // of servers
	demotions   []demotion
	grants      []*grant // in the order of their replies
	releases    []release
	out         []entry
}

// mark is an event of a client or a server at a time.
type mark struct {
	client history.NodeID
	at     history.Instant
	vain   bool // a release that found nothing to remove
	empty  bool // a server that has forgotten everything
}

// demotion is a primary becoming a replica of the one that was promoted before.
type demotion struct {
	server       history.NodeID
	promoted, at history.Instant
}

// release is a release that removed an entry, by its last command. After a retry, an
// earlier command may have removed it and the last one only repeats the answer, as
// Redisson's script does.
type release struct {
	client history.NodeID
	by     *command
	again  bool
}

// collect reads the commands and the begins of releases.
func (d *deriver) collect(entries []entry, evictions []*command) {
	defer func() { d.commands = append(d.commands, evictions...) }()
	d.survey(entries)
	open := map[wire]*command{}
	releasing := map[history.NodeID][]*command{} // the commands of the release under way
	active := map[history.NodeID]bool{}
	promoted := map[history.NodeID]history.Instant{} // when a server last became the primary
	for i := range entries {
		e := &entries[i]
		switch e.Kind {
		case history.Sent:
			c := &command{wire: wire{e.Node, e.call}, server: e.server, op: e.op, task: e.task, sent: e.At}
			c.effect = d.effect(c)
			d.commands = append(d.commands, c)
			open[c.wire] = c
			if active[e.Node] && c.task == "" {
				c.releasing = true
				for _, before := range releasing[e.Node] {
					c.again = c.again || before.effect.Changes() && before.op.Name == c.op.Name
				}
				releasing[e.Node] = append(releasing[e.Node], c)
			}
		case history.Replied, history.TimedOut:
			if c := open[wire{e.Node, e.call}]; c != nil && !c.executed {
				c.done, c.answered, c.answer = e.At, e.Kind == history.Replied, e.answer
				if c.answer.Redirected {
					c.effect = history.Asks // it did nothing
				}
			}
		case history.ReplyDropped:
			if c := open[wire{e.Peer, e.call}]; c != nil {
				c.done, c.executed = e.At, true
			}
		case history.RequestDropped:
			if c := open[wire{e.Node, e.call}]; c != nil {
				c.effect = history.Asks // it did nothing
			}
		case history.Crashed:
			d.deaths = append(d.deaths, mark{client: e.Node, at: e.At})
		case history.Restarted:
			d.returns = append(d.returns, mark{client: e.Node, at: e.At, empty: e.empty})
		case history.Promoted:
			promoted[e.Node] = e.At
		case history.Demoted:
			d.deaths = append(d.deaths, mark{client: e.Node, at: e.At})
			d.demotions = append(d.demotions, demotion{e.Node, promoted[e.Peer], e.At})
		case history.Releasing:
			active[e.Node], releasing[e.Node] = true, nil
			d.begins = append(d.begins, mark{client: e.Node, at: e.At})
		case history.Released, history.NotHeld, history.ReleaseFailed:
			active[e.Node] = false
			d.wasVain(e)
			for _, c := range releasing[e.Node] {
				c.refused = e.Kind == history.NotHeld
			}
		}
	}
}

// wasVain notes at the begin of a release how it has ended.
func (d *deriver) wasVain(e *entry) {
	for i := len(d.begins) - 1; i >= 0; i-- {
		if d.begins[i].client == e.Node {
			d.begins[i].vain = e.Kind == history.NotHeld
			return
		}
	}
}

// lastOf returns a client's last answered command before an instant that
// belongs to its business task and may have changed something; nil for none.
func (d *deriver) lastOf(client history.NodeID, before history.Instant, releasing bool) *command {
	for i := len(d.commands) - 1; i >= 0; i-- {
		c := d.commands[i]
		if c.client == client && c.task == "" && c.answered && c.done <= before &&
			c.releasing == releasing && c.effect.Changes() {
			return c
		}
	}
	return nil
}

// freedBy returns the command by which a release has freed its client's entry: not the
// one that ends the session when the entry was given back before. It is nil for none.
func (d *deriver) freedBy(e *entry) *command {
	last := d.lastOf(e.Node, e.At, true)
	if last == nil || last.effect != history.EndsSession {
		return last
	}
	before := d.lastOf(e.Node, last.sent, true)
	if before == nil || before.effect != history.RemovesOwn || before.sent < d.beginOfRelease(e) {
		return last
	}
	return before
}

// beginOfRelease is when the release began whose end an event is.
func (d *deriver) beginOfRelease(e *entry) (at history.Instant) {
	for _, b := range d.begins {
		if b.client == e.Node && b.at <= e.At {
			at = b.at
		}
	}
	return at
}

// acquired concludes that the server has made an entry for the client.
func (d *deriver) acquired(e *entry) {
	c := d.lastOf(e.Node, e.At, false)
	if c == nil || c.madeNothing() {
		return // a client that ignores the answer believes in an entry that does not exist
	}
	if c.effect == history.Queues {
		c = d.lastAnswer(e.Node, e.At)
	}
	d.grant(c, d.ttl)
}

// grant says that a command has made an entry for its client.
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

// remove says that a command has removed a grant's entry.
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

// released concludes whose entry a release has removed, if it can.
func (d *deriver) released(r release) {
	if r.by == nil || r.by.answer.Is(0) { // a hold is left, as Redisson counts them
		return
	}
	entries := r.by.removedRows()
	if d.removedAll(r.by, entries) {
		return
	}
	for _, g := range d.grants {
		if g.gone || g.at >= r.by.sent || !d.sameServer(g, r.by) || r.again && g.owner != r.client {
			continue
		}
		if r.by.effect == history.RemovesOwn {
			if g == d.lastGrant(r.client, r.by.sent) {
				d.remove(g, r.by)
				return
			}
			continue
		}
		if r.by.effect == history.RevokesLease {
			if g == d.lastGrant(r.client, r.by.sent) && d.nobodyElse(g, r.by) {
				d.remove(g, r.by)
			}
			continue
		}
		if !d.stillThere(g, r.by) && !(g.owner == r.client && d.nobodyElse(g, r.by)) {
			continue
		}
		d.remove(g, r.by)
		if entries--; entries == 0 {
			return
		}
	}
	r.by.more = r.by.removed
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
