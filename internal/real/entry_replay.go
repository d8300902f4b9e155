package real

import (
	"cmp"
	"time"

	"lockstep/internal/history"
)

// The keyspace events of Redis that do not write an entry.
const (
	expired = "expired" // the time to live ran out
	removed = "del"
	renewed = "expire" // a time to live was set
)

// quiet are events that do not change the owner of an entry.
var quiet = map[string]bool{"persist": true, "hdel": true}

// entryReplay applies all operations in order to the entries of all servers.
type entryReplay struct {
	key     string // of the entry
	ttl     time.Duration
	end     history.Instant // of the run; later operations are ignored
	leader  history.NodeID  // the server that the others follow; 0 without replication
	keeps   bool            // a server that dies keeps its entry
	ledgers map[history.NodeID]*ledger
	writers map[string]history.NodeID // the last client that wrote each value
	wrong   bool                      // the operations contradict each other
	out     []entry
}

// ledger is the state of one server's entry.
type ledger struct {
	doubtful bool // the entry may or may not exist
	present  bool
	owner    history.NodeID
	end      history.Instant // of the owner's lease
}

func (r *entryReplay) of(server history.NodeID) *ledger {
	l := r.ledgers[server]
	if l == nil {
		l = &ledger{}
		r.ledgers[server] = l
	}
	return l
}

// enter applies the changes of an operation. A command without a client came from a
// primary to its replica, whose entries only matter once it becomes the primary.
func (r *entryReplay) enter(o *operation) {
	if o.at > r.end {
		return
	}
	l := r.of(o.server)
	fresh := false
	for _, c := range o.changes {
		switch {
		case c.key != r.key:
		case c.event == expired:
			r.expire(l, o)
		case c.event == removed:
			r.remove(l, o)
		case c.event == renewed:
			if l.present && !fresh && o.by != nil {
				r.renew(l, o, c)
			}
		case quiet[c.event]:
		default:
			fresh = r.write(l, o, c) || fresh
		}
	}
}

// renew applies a new time to live. A client that shortens the life of another's entry may take it
// away.
func (r *entryReplay) renew(l *ledger, o *operation, c change) {
	life := cmp.Or(c.life, r.ttl)
	end := o.at.Add(life)
	if o.by.client != l.owner && end < l.end {
		r.out = append(r.out, mayHaveRemoved(o.at, o.server, o.by.client))
		r.out[len(r.out)-1].call = o.by.call
		return
	}
	l.end = end
	r.add(history.Extended, l.owner, o)
	r.out[len(r.out)-1].Value = int64(life)
}

func (r *entryReplay) expire(l *ledger, o *operation) {
	if l.present {
		r.add(history.Expired, l.owner, o)
	} else if !l.doubtful {
		r.wrong = true
	}
	*l = ledger{}
}

func (r *entryReplay) remove(l *ledger, o *operation) {
	switch {
	case o.by == nil && !r.leads(o.server): // replicated
	case o.by == nil, !l.present:
		r.wrong = true
	default:
		r.add(history.Removed, l.owner, o)
	}
	*l = ledger{}
}

// leads reports whether only clients and operators write to a server.
func (r *entryReplay) leads(server history.NodeID) bool { return r.leader == 0 || r.leader == server }

// write applies a written value, and reports whether that made an entry.
func (r *entryReplay) write(l *ledger, o *operation, c change) (made bool) {
	if o.by == nil {
		if r.leads(o.server) {
			r.wrong = true // only clients write to a primary
		}
		if owner := r.writers[c.value]; !l.present || l.owner != owner {
			*l = ledger{present: true, owner: owner}
			r.add(history.Replicated, owner, o)
			r.out[len(r.out)-1].Peer = r.leader
		}
		return true
	}
	writer := o.by.client
	r.writers[c.value] = writer
	switch {
	case l.present && c.only, l.doubtful && !c.only:
		r.wrong = true
	case l.present && l.owner == writer:
		l.end = o.at.Add(r.ttl)
		return false
	case l.present:
		r.add(history.Removed, l.owner, o)
	}
	*l = ledger{present: true, owner: writer, end: o.at.Add(r.ttl)}
	r.add(history.Granted, writer, o)
	return true
}

// applyServerEvent applies an event that affects a whole server. The entries that a replica gets
// from its primary are unknown.
func (r *entryReplay) applyServerEvent(e *entry) {
	switch e.Kind {
	case history.Promoted:
		if e.Peer == r.leader { // not of another shard
			r.leader = e.Node
		}
	case history.Demoted:
		*r.of(e.Node) = ledger{doubtful: true}
	case history.Restarted:
		l := r.of(e.Node)
		if e.empty && l.present {
			r.add(history.Forgotten, l.owner, &operation{server: e.Node, at: e.At})
		}
		if follows := r.leader != 0 && e.Node != r.leader; e.empty || follows || !r.keeps {
			*l = ledger{doubtful: !e.empty}
		}
	}
}

func (r *entryReplay) add(kind history.Kind, owner history.NodeID, o *operation) {
	e := entry{
		Event: history.Event{At: o.at, Kind: kind, Node: o.server, Owner: owner, Cause: history.NoCause},
		text:  r.key,
	}
	if kind == history.Granted || kind == history.Extended {
		e.Value = int64(r.ttl)
	}
	if o.by != nil && kind != history.Expired {
		e.Peer, e.call = o.by.client, o.by.call
	}
	r.out = append(r.out, e)
}
