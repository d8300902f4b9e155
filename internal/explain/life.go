package explain

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// life is an entry on one server, from its creation to its end.
type life struct {
	owner, node history.NodeID
	key         history.TextID
	from        history.Instant
	set         history.Instant // when its time to live was last set
	ttl         time.Duration   // as it was set then; 0: the store gives it no end
	setBy       history.NodeID  // who set it then
	promises    []Promise       // every time that it was set
	renewals    int             // how often it was set again by its owner
	over        history.Instant // when it ended
	how         history.Kind    // Expired, Removed, Forgotten, Crashed (with its server), Granted (another's took its place), or 0
	by          history.NodeID  // for Removed and Granted: whose command it was
	copies      []history.NodeID
	begun       int32 // the events with which it began, was last set, and ended
	last        int32
	ended       int32
}

// alive reports whether the entry was there at an instant.
func (l *life) alive(at history.Instant) bool { return l.from <= at && (l.how == 0 || l.over > at) }

// end ends the life with an event.
func (l *life) end(i int32, e *history.Event, by history.NodeID) {
	l.over, l.how, l.by, l.ended = e.At, e.Kind, by, i
}

// livesOf lists the entries of a history in the order of their creation.
func livesOf(h *history.History) []life {
	b := &biographer{t: teller{h: h, cluster: clusterOf(h)}}
	for i := range h.Events {
		b.follow(int32(i), &h.Events[i])
	}
	return b.lives
}

// biographer follows the entries of a history. Of a long one most are over: living are those that are
// there, or that are with a dead server.
type biographer struct {
	t      teller
	lives  []life
	living []int // into lives
}

// open returns the entry of an owner that a server has under a key, or nil.
func (b *biographer) open(node, owner history.NodeID, key history.TextID) *life {
	return b.find(func(l *life) bool {
		return l.how == 0 && (l.node == node || b.t.inCluster(node)) && l.owner == owner && l.key == key
	})
}

// diedWith returns the entry that went with a server's crash and that an event speaks of, or nil: a
// replica has it nevertheless, or the server turns out to have lost it.
func (b *biographer) diedWith(node history.NodeID, e *history.Event) *life {
	return b.find(func(l *life) bool {
		return l.how == history.Crashed && l.node == node && l.owner == e.Owner && l.key == e.Text
	})
}

// original returns the entry that a replica has copied, or nil. Not every server says from whom.
func (b *biographer) original(e *history.Event) *life {
	return b.find(func(l *life) bool {
		return (l.node == e.Peer || e.Peer == 0 && l.node != e.Node) && l.owner == e.Owner && l.key == e.Text
	})
}

// find returns the youngest entry that is not over and for which a condition holds, or nil.
func (b *biographer) find(is func(*life) bool) *life {
	for _, i := range slices.Backward(b.living) {
		if is(&b.lives[i]) {
			return &b.lives[i]
		}
	}
	return nil
}

func (b *biographer) add(l life) {
	b.living = append(b.living, len(b.lives))
	b.lives = append(b.lives, l)
}

func (b *biographer) follow(i int32, e *history.Event) {
	switch e.Kind {
	case history.Granted:
		b.replace(i, e)
		b.add(life{
			owner: e.Owner, node: e.Node, key: e.Text, from: e.At, set: e.At, ttl: time.Duration(e.Value), setBy: e.Owner, promises: []Promise{promiseOf(e)},
			begun: i, last: i, ended: history.NoCause,
		})
	case history.Extended:
		if l := b.open(e.Node, e.Owner, e.Text); l != nil {
			l.set, l.ttl, l.setBy, l.last = e.At, time.Duration(e.Value), e.Peer, i
			l.promises = append(l.promises, promiseOf(e))
			if e.Peer == e.Owner {
				l.renewals++
			}
		}
	case history.Replicated:
		if l := b.original(e); l != nil {
			l.copies = append(l.copies, e.Node)
		}
	case history.Expired, history.Removed, history.Forgotten:
		l := b.open(e.Node, e.Owner, e.Text)
		if l == nil && e.Kind == history.Forgotten {
			l = b.diedWith(e.Node, e)
		}
		if l != nil {
			l.end(i, e, e.Peer)
			b.bury()
		}
	case history.Promoted:
		b.inherit(e)
	case history.Restarted: // what it has not forgotten is there again
		for _, j := range b.living {
			if l := &b.lives[j]; l.node == e.Node && l.how == history.Crashed {
				l.how, l.ended = 0, history.NoCause
			}
		}
	case history.Crashed:
		for _, j := range b.living {
			if l := &b.lives[j]; l.node == e.Node && l.how == 0 && !b.t.inCluster(e.Node) {
				l.end(i, e, 0)
			}
		}
	}
}

// replace ends what was under the key of a new entry, even if nobody saw it go: its time was up,
// or the new one took its place.
func (b *biographer) replace(i int32, e *history.Event) {
	for _, j := range b.living {
		l := &b.lives[j]
		if l.how != 0 || l.node != e.Node || l.key != e.Text {
			continue
		}
		l.end(i, e, e.Owner)
		if end := l.set.Add(l.ttl); l.ttl > 0 && end <= e.At {
			l.over, l.how = end, history.Expired
		}
	}
	b.bury()
}

// bury forgets the entries that are over.
func (b *biographer) bury() {
	b.living = slices.DeleteFunc(b.living, func(j int) bool {
		how := b.lives[j].how
		return how != 0 && how != history.Crashed
	})
}

// inherit gives a replica that is promoted what it has copied.
func (b *biographer) inherit(e *history.Event) {
	if b.t.inCluster(e.Node) {
		return
	}
	for _, j := range slices.Clone(b.living) {
		l := b.lives[j]
		if l.node == e.Peer && slices.Contains(l.copies, e.Node) && b.open(e.Node, l.owner, l.key) == nil {
			l.node, l.how, l.ended, l.copies, l.promises = e.Node, 0, history.NoCause, nil, slices.Clip(l.promises)
			b.add(l)
		}
	}
}
