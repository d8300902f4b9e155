package real

import (
	"time"

	"lockstep/internal/history"
)

// What becomes of an entry, as Redis calls it. Everything else writes to it.
const (
	expired = "expired" // its time was up
	removed = "del"
	renewed = "expire" // it was given a time to live
)

// quiet are events that say nothing of whose the entry is.
var quiet = map[string]bool{"persist": true, "hdel": true}

// books follow the entries of all servers through their operations.
type books struct {
	key     string // of the entry
	ttl     time.Duration
	end     history.Instant // nothing after that belongs to the run
	leader  history.NodeID  // whom the others follow; 0: there is no such thing
	keeps   bool            // a server that dies keeps its entry
	ledgers map[history.NodeID]*ledger
	writers map[string]history.NodeID // who wrote a value last
	wrong   bool                      // something does not fit
	out     []entry
}

// ledger is what is known of one server's entry.
type ledger struct {
	doubtful bool // nobody knows whether there is one
	present  bool
	owner    history.NodeID
}

func (b *books) of(server history.NodeID) *ledger {
	l := b.ledgers[server]
	if l == nil {
		l = &ledger{}
		b.ledgers[server] = l
	}
	return l
}

// enter books what an operation has changed. A command of no client's is one of a
// primary to its replica, whose entries only matter when it becomes the primary.
func (b *books) enter(o *operation) {
	if o.at > b.end {
		return
	}
	l := b.of(o.server)
	fresh := false
	for _, c := range o.changes {
		switch {
		case c.key != b.key:
		case c.event == expired:
			b.expire(l, o)
		case c.event == removed:
			b.remove(l, o)
		case c.event == renewed:
			if l.present && !fresh && o.by != nil {
				b.add(history.Extended, l.owner, o)
			}
		case quiet[c.event]:
		default:
			fresh = b.write(l, o, c) || fresh
		}
	}
}

func (b *books) expire(l *ledger, o *operation) {
	if l.present {
		b.add(history.Expired, l.owner, o)
	} else if !l.doubtful {
		b.wrong = true
	}
	*l = ledger{}
}

func (b *books) remove(l *ledger, o *operation) {
	switch {
	case o.by == nil && !b.leads(o.server): // by its primary
	case o.by == nil, !l.present:
		b.wrong = true
	default:
		b.add(history.Removed, l.owner, o)
	}
	*l = ledger{}
}

// leads reports whether only clients and operators write to a server.
func (b *books) leads(server history.NodeID) bool { return b.leader == 0 || b.leader == server }

// write books a value, and reports whether it has made an entry.
func (b *books) write(l *ledger, o *operation, c change) (made bool) {
	if o.by == nil {
		if b.leads(o.server) {
			b.wrong = true // who else writes to a primary?
		}
		if owner := b.writers[c.value]; !l.present || l.owner != owner {
			*l = ledger{present: true, owner: owner}
			b.add(history.Replicated, owner, o)
			b.out[len(b.out)-1].Peer = b.leader
		}
		return true
	}
	writer := o.by.client
	b.writers[c.value] = writer
	switch {
	case l.present && c.only, l.doubtful && !c.only:
		b.wrong = true
	case l.present && l.owner == writer:
		return false
	case l.present:
		b.add(history.Removed, l.owner, o)
	}
	*l = ledger{present: true, owner: writer}
	b.add(history.Granted, writer, o)
	return true
}

// befell books what happened to a server besides its operations. One that follows
// another has what the other has, and nobody has heard what that is.
func (b *books) befell(e *entry) {
	switch e.Kind {
	case history.Promoted:
		if e.Peer == b.leader { // else it is of another shard
			b.leader = e.Node
		}
	case history.Demoted:
		*b.of(e.Node) = ledger{doubtful: true}
	case history.Restarted:
		l := b.of(e.Node)
		if e.empty && l.present {
			b.out = append(b.out, entry{
				Event: history.Event{At: e.At, Kind: history.Forgotten, Node: e.Node, Owner: l.owner, Cause: history.NoCause},
				text:  b.key,
			})
		}
		if follows := b.leader != 0 && e.Node != b.leader; e.empty || follows || !b.keeps {
			*l = ledger{doubtful: !e.empty}
		}
	}
}

func (b *books) add(kind history.Kind, owner history.NodeID, o *operation) {
	e := entry{
		Event: history.Event{At: o.at, Kind: kind, Node: o.server, Owner: owner, Cause: history.NoCause},
		text:  b.key,
	}
	if kind == history.Granted || kind == history.Extended {
		e.Value = int64(b.ttl)
	}
	if o.by != nil && kind != history.Expired {
		e.Peer, e.call = o.by.client, o.by.call
	}
	b.out = append(b.out, e)
}
