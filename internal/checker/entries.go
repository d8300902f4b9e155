package checker

import "lockstep/internal/history"

// A hold can outlive its entry: the holder believes, and the store would let another client in.
// If no client asks in that time, the history does not show whether it would:
//
//	 0 S granted owner=A; 0.1 A acquired
//	10 S expired owner=A
//	15 A releasing                          no client has asked since 10: unknown
//
// A hold begins without an entry when the reply comes too late, or when the lock is in no store at
// all. The entry may also be gone when another server takes over that has no copy of it, until
// something is heard of it: it is renewed, or removed.
//
// A history without entries cannot tell. There a hold is in doubt when its lease is over, and from each
// fault on. When the last client's lease runs out no other client is left to ask; an earlier hold that
// went on in the same way while another client asked settles it.

// entry takes the next event that is about an entry, if it is one.
func (t *tally) entry(i int32, e *history.Event) {
	p := &t.parties[e.Node]
	if int(e.Owner) >= len(t.parties) {
		return
	}
	owner := &t.parties[e.Owner]
	switch e.Kind {
	case history.Granted:
		t.admit(owner)
		t.confirm(owner)
		owner.granted, owner.newest = true, e.Node
		t.keep(p, e.Owner, e.At)
		t.faceAll(i)
	case history.Extended:
		t.confirm(owner)
	case history.Replicated:
		p.copied = e.Owner
	case history.Removed, history.Expired, history.Forgotten:
		if e.Kind != history.Forgotten {
			t.confirm(owner)
		}
		if t.drop(p, e) && owner.holding {
			owner.doubt = i
		}
	case history.Promoted:
		t.promote(i, e)
	}
}

// keep notes whose entry a server keeps, 0 for none.
func (t *tally) keep(server *party, owner history.NodeID, at history.Instant) {
	t.kept += count(owner != 0) - count(server.entry != 0)
	server.entry = owner
	t.occupy(at)
}

// drop notes that a server has no entry of an owner any more, and reports whether it had one that counted: what a
// former primary still has of one that another server has taken over counts for nothing, nor does one entry
// of several, as long as most servers keep theirs: a client that asks them all is refused.
func (t *tally) drop(server *party, e *history.Event) bool {
	if server.copied == e.Owner {
		server.copied = 0
	}
	if server.entry != e.Owner {
		return t.keepers(e.Owner) == 0
	}
	t.keep(server, 0, e.At)
	if t.promoted && t.parties[e.Owner].newest != e.Node && t.keepers(e.Owner) > 0 {
		return false // it is with the new primary
	}
	return 2*t.keepers(e.Owner) <= t.stores
}

// promote notes that a server has taken over from another.
func (t *tally) promote(i int32, e *history.Event) {
	if int(e.Peer) >= len(t.parties) || e.Peer == 0 {
		return
	}
	t.promoted = true
	next, last := &t.parties[e.Node], &t.parties[e.Peer]
	if owner := &t.parties[last.entry]; next.copied != last.entry && owner.holding && owner.doubt < 0 {
		owner.doubt = i
	}
	t.keep(next, last.entry, e.At)
	t.keep(last, 0, e.At)
}

// keepers is how many servers keep an entry of the client.
func (t *tally) keepers(client history.NodeID) (n int) {
	for i := range t.parties {
		n += count(t.parties[i].entry == client)
	}
	return n
}

// doubtAll notes a fault: without entries on record it may have undone any.
func (t *tally) doubtAll(i int32) {
	for k := range t.parties {
		if p := &t.parties[k]; !t.granted && p.holding {
			p.doubt = i
		}
	}
}

// confirm notes that the owner's entry was there until now, unless it is known to have gone.
func (t *tally) confirm(owner *party) {
	if owner.guessed {
		t.settle(owner)
	}
	if owner.doubt >= 0 && t.guessed(owner.doubt) {
		owner.doubt = history.NoCause
	}
}

// guessed reports whether an entry only may be gone since an event.
func (t *tally) guessed(doubt int32) bool {
	kind := t.h.Events[doubt].Kind
	return kind == history.Promoted || kind == history.Acquired
}

// admit takes a lapse for true that nothing has refuted.
func (t *tally) admit(p *party) {
	if p.pending != (lapse{}) {
		t.facts.unasked = append(t.facts.unasked, p.pending)
	}
	t.settle(p)
}

// settle forgets what is pending.
func (t *tally) settle(p *party) {
	t.watched -= count(p.watcher != 0)
	p.pending, p.guessed, p.watcher = lapse{}, false, 0
}

// endHold ends the hold of a client, if it holds, and notes whether it lasted for some time without an
// entry while no client asked.
func (t *tally) endHold(i int32, client history.NodeID, at history.Instant) {
	p := &t.parties[client]
	if !p.holding {
		return
	}
	p.holding = false
	t.believe(at, t.holding-1)
	if t.h.Role(client) == history.RoleProbe {
		return // no client is left to ask
	}
	from := p.began.Add(t.h.Header.Lease)
	switch {
	case p.doubt >= 0:
		from = t.h.Events[p.doubt].At
	case t.granted || t.h.Header.Lease <= 0:
		return
	}
	switch {
	case from >= at:
		return
	case t.askedSince(i, client, p.doubt, from):
		t.refused = t.refused || p.doubt < 0
		return
	case p.doubt < 0 && t.refused && !t.wanting(client):
		return // the lease ran out on the last client, too, and before it did so on one that others asked about
	}
	t.admit(p)
	p.pending, p.guessed, p.watcher = lapse{client, from, at}, p.doubt >= 0 && t.guessed(p.doubt), t.watcher(client, from)
	if p.watcher != 0 {
		t.watched++
	} else if !p.guessed {
		t.admit(p)
	}
}

// wanting reports whether a client other than the holder has wanted the lock and has not got it since.
func (t *tally) wanting(holder history.NodeID) bool {
	for k := range t.parties {
		if t.parties[k].unserved && history.NodeID(k) != holder {
			return true
		}
	}
	return false
}

// askedSince reports whether another client has asked since an event and an instant.
func (t *tally) askedSince(i int32, holder history.NodeID, event int32, from history.Instant) bool {
	for k := range t.parties {
		p := &t.parties[k]
		if history.NodeID(k) == holder {
			continue
		}
		if p.runs() && !t.wired || p.asked > event && p.asked >= 0 && p.asked < i && t.h.Events[p.asked].At >= from {
			return true
		}
	}
	return false
}

// watcher is a client that a server will tell of a change, or that has asked since an instant and has no answer yet; 0
// for none.
func (t *tally) watcher(holder history.NodeID, from history.Instant) history.NodeID {
	for k := range t.parties {
		if p := &t.parties[k]; p.runs() && (p.watching || p.sent >= from) && history.NodeID(k) != holder {
			return history.NodeID(k)
		}
	}
	return 0
}

// told notes that a client has asked, with a request sent at an instant. One that watched, and has asked
// so soon after an entry had gone, was told of it: the holder has merely heard of it sooner.
func (t *tally) told(client history.NodeID, sent history.Instant) {
	if t.watched == 0 {
		return
	}
	for k := range t.parties {
		p := &t.parties[k]
		if p.watcher == client && sent >= p.pending.from && sent.Sub(p.pending.from) <= scaled(&t.h.Header, idleAtLeast) {
			t.settle(p)
		}
	}
}
