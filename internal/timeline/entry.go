package timeline

import (
	"slices"
	"time"

	"lockstep/internal/history"
)

// Entry is an entry on one server, from its creation to its end.
type Entry struct {
	Owner, Node history.NodeID
	Key         history.TextID
	From        history.Instant
	Set         history.Instant // when its time to live was last set
	TTL         time.Duration   // as set then; 0: no end
	SetBy       history.NodeID  // the client that set it then
	Promises    []Promise       // one for each time that it was set
	Renewals    int             // by its owner
	Over        history.Instant // when it ended, or the history did
	How         history.Kind    // Expired, Removed, Forgotten, Crashed (with its server), Granted (another took its place); 0: it stays
	By          history.NodeID  // for Removed and Granted: the client whose command it was
	Copies      []history.NodeID
	Began       int32 // the events by which it began, was last set, and ended
	Last        int32
	Ended       int32
}

// Alive reports whether the entry was there at an instant.
func (l *Entry) Alive(at history.Instant) bool { return l.From <= at && (l.How == 0 || l.Over > at) }

// end ends the entry with an event.
func (l *Entry) end(i int32, e *history.Event, by history.NodeID) {
	l.Over, l.How, l.By, l.Ended = e.At, e.Kind, by, i
}

// entries follows the entries of a history. Most of a long one are over; living are those that
// exist, or that are on a dead server.
type entries struct {
	t      *Timeline
	all    []Entry
	living []int // into all
}

// open returns the entry of an owner that a server has under a key, or nil.
func (b *entries) open(node, owner history.NodeID, key history.TextID) *Entry {
	return b.find(func(l *Entry) bool {
		return l.How == 0 && (l.Node == node || b.t.InCluster(node)) && l.Owner == owner && l.Key == key
	})
}

// diedWith returns the entry of an event that was on a server when it crashed, or nil.
func (b *entries) diedWith(node history.NodeID, e *history.Event) *Entry {
	return b.find(func(l *Entry) bool {
		return l.How == history.Crashed && l.Node == node && l.Owner == e.Owner && l.Key == e.Text
	})
}

// original returns the entry that a replica has copied, or nil. Peer may be unknown.
func (b *entries) original(e *history.Event) *Entry {
	return b.find(func(l *Entry) bool {
		return (l.Node == e.Peer || e.Peer == 0 && l.Node != e.Node) && l.Owner == e.Owner && l.Key == e.Text
	})
}

func (b *entries) find(is func(*Entry) bool) *Entry {
	for _, i := range slices.Backward(b.living) {
		if is(&b.all[i]) {
			return &b.all[i]
		}
	}
	return nil
}

func (b *entries) add(l Entry) {
	b.living = append(b.living, len(b.all))
	b.all = append(b.all, l)
}

// begin adds an entry that event i makes, with the owner and the key of an event.
func (b *entries) begin(i int32, e, of *history.Event, ttl time.Duration) {
	b.add(Entry{
		Owner: of.Owner, Node: e.Node, Key: of.Text, From: e.At, Set: e.At, TTL: ttl, SetBy: of.Owner,
		Promises: []Promise{{e.At, e.At.Add(ttl)}}, Began: i, Last: i, Ended: history.NoCause,
	})
}

func (b *entries) follow(i int32, e *history.Event) {
	switch e.Kind {
	case history.Granted:
		b.replace(i, e)
		b.begin(i, e, e, time.Duration(e.Value))
	case history.Extended:
		if l := b.open(e.Node, e.Owner, e.Text); l != nil {
			l.Set, l.TTL, l.SetBy, l.Last = e.At, time.Duration(e.Value), e.Peer, i
			l.Promises = append(l.Promises, Promise{e.At, e.At.Add(l.TTL)})
			if e.Peer == e.Owner {
				l.Renewals++
			}
		}
	case history.Replicated:
		if l := b.original(e); l != nil {
			l.Copies = append(l.Copies, e.Node)
		}
	case history.Expired, history.Removed, history.Forgotten:
		l := b.open(e.Node, e.Owner, e.Text)
		if l == nil && e.Kind == history.Forgotten {
			l = b.diedWith(e.Node, e)
		}
		if l != nil {
			l.end(i, e, e.Peer)
			b.dropEnded()
		}
	case history.Promoted:
		b.copyToPromoted(i, e)
	case history.Restarted: // entries that it has not forgotten exist again
		for _, j := range b.living {
			if l := &b.all[j]; l.Node == e.Node && l.How == history.Crashed {
				l.How, l.Ended = 0, history.NoCause
			}
		}
	case history.Crashed:
		for _, j := range b.living {
			if l := &b.all[j]; l.Node == e.Node && l.How == 0 && !b.t.InCluster(e.Node) {
				l.end(i, e, 0)
			}
		}
	}
}

// replace ends the entry whose key a new one has: it expired without an event, or was overwritten.
func (b *entries) replace(i int32, e *history.Event) {
	for _, j := range b.living {
		l := &b.all[j]
		if l.How != 0 || l.Node != e.Node || l.Key != e.Text {
			continue
		}
		l.end(i, e, e.Owner)
		if end := l.Set.Add(l.TTL); l.TTL > 0 && end <= e.At {
			l.Over, l.How = end, history.Expired
		}
	}
	b.dropEnded()
}

// dropEnded removes the entries that are over from living.
func (b *entries) dropEnded() {
	b.living = slices.DeleteFunc(b.living, func(j int) bool {
		how := b.all[j].How
		return how != 0 && how != history.Crashed
	})
}

// copyToPromoted adds the entries that a promoted replica has copied, also one whose removal it has
// missed.
func (b *entries) copyToPromoted(i int32, e *history.Event) {
	if b.t.InCluster(e.Node) {
		return
	}
	for _, j := range slices.Clone(b.living) {
		l := b.all[j]
		if l.Node == e.Peer && slices.Contains(l.Copies, e.Node) && b.open(e.Node, l.Owner, l.Key) == nil {
			l.Node, l.How, l.Ended, l.Copies, l.Promises = e.Node, 0, history.NoCause, nil, slices.Clip(l.Promises)
			b.add(l)
		}
	}
	if old := b.t.leftover(i, e); old != nil && b.open(e.Node, old.Owner, old.Text) == nil {
		b.begin(i, e, old, max(leftUntil(old).Sub(e.At), 0))
	}
}

// leftover returns the event that ends an entry on a server promoted by event i, if no other event
// says that the server had it: that its primary had removed the entry had not reached it. Nil for
// none.
func (t *Timeline) leftover(i int32, promoted *history.Event) *history.Event {
	for j, e := range t.Each(history.Granted, history.Removed, history.Expired, history.Demoted) {
		switch {
		case j <= i || e.Node != promoted.Node:
		case e.Kind == history.Granted || e.Kind == history.Demoted, // as a replica it copies other entries
			e.Kind == history.Expired && e.At == promoted.At: // it was over
			return nil
		default:
			return e
		}
	}
	return nil
}

// leftUntil returns when an entry would have ended that an event ends; 0 for never.
func leftUntil(e *history.Event) history.Instant {
	if e.Kind == history.Expired {
		return e.At
	}
	return EndOf(e)
}
