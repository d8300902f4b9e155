package checker

import (
	"time"

	"lockstep/internal/history"
)

// A hold can outlive its entry: then the store would let another client in. If no client asks in
// that time, the history does not show it:
//
//	 0 S granted owner=A; 0.1 A acquired
//	10 S expired owner=A
//	15 A releasing                          no client has asked since 10: unknown
//
// A hold begins without an entry when the reply comes too late, or when the lock is in no store.
// Where clients compare the end of an entry, its server does not say when it is over.
//
// The entry may also be gone when a server without a copy takes over, unless it is renewed or
// removed later.
//
// In a history without entries, a hold is in doubt when its lease is over, and from each fault on.
// No client is left to ask when the last client's lease runs out: there an earlier such hold
// decides, during which another client asked.

// entry takes the next event, if it is about an entry.
func (t *tally) entry(i int32, e *history.Event) {
	p := &t.parties[e.Node]
	if int(e.Owner) >= len(t.parties) {
		return
	}
	owner := &t.parties[e.Owner]
	switch e.Kind {
	case history.Granted:
		t.recordLapse(owner)
		t.confirm(owner)
		owner.granted, owner.newest = true, e.Node
		p.by, _ = t.h.Request(i)
		owner.ends = t.ends(e, p.by)
		t.keep(p, e.Owner, e.At)
		t.faceAll(i)
	case history.Extended:
		t.confirm(owner)
		owner.ends = t.ends(e, history.NoCause)
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

// ends returns the end of an entry that its server leaves to the clients; 0 for none. It is in a
// row of a database, or in the value of a key without a time to live, as by, the request, says.
func (t *tally) ends(e *history.Event, by int32) history.Instant {
	h := t.h
	switch {
	case e.Value > 0 && !h.Header.Expires && h.Header.Topology == "replicated":
		return e.At.Add(time.Duration(e.Value))
	case e.Value == 0 && by >= 0:
		if lease := h.Op(h.Events[by].Text).Lease; lease > 0 {
			return e.At.Add(lease)
		}
	}
	return 0
}

// keep sets the owner of a server's entry, 0 for none.
func (t *tally) keep(server *party, owner history.NodeID, at history.Instant) {
	t.kept += count(owner != 0) - count(server.entry != 0)
	server.entry = owner
	t.occupy(at)
}

// drop notes that a server has lost an owner's entry, and reports whether that lets others in. It
// does not if the new primary has the entry, or if most servers keep theirs.
func (t *tally) drop(server *party, e *history.Event) bool {
	if server.copied == e.Owner {
		server.copied = 0
	}
	if server.entry != e.Owner {
		return t.keepers(e.Owner) == 0
	}
	t.keep(server, 0, e.At)
	for i := range t.parties { // the history does not say when a replica follows
		if p := &t.parties[i]; p.copied == e.Owner {
			p.copied = 0
		}
	}
	if t.promoted && t.parties[e.Owner].newest != e.Node && t.keepers(e.Owner) > 0 {
		return false // it is with the new primary
	}
	return 2*t.keepers(e.Owner) <= t.stores
}

// promote notes that a server has taken over from another one, with what it has copied. In a quorum
// it has what the other one had, unless the history shows otherwise.
func (t *tally) promote(i int32, e *history.Event) {
	if int(e.Peer) >= len(t.parties) || e.Peer == 0 {
		return
	}
	t.promoted = true
	if e.Node == e.Peer { // it leads again, and has what it had
		return
	}
	next, last := &t.parties[e.Node], &t.parties[e.Peer]
	if owner := &t.parties[last.entry]; next.copied != last.entry && owner.holding && owner.doubt < 0 {
		owner.doubt = i
	}
	has := next.copied
	if t.h.Header.Quorum() {
		has = last.entry
	}
	t.keep(next, has, e.At)
	t.keep(last, 0, e.At)
}

// keepers returns how many servers have an entry of the client.
func (t *tally) keepers(client history.NodeID) (n int) {
	for i := range t.parties {
		n += count(t.parties[i].entry == client)
	}
	return n
}

// doubtAll notes a fault: in a history without entries it may have undone any.
func (t *tally) doubtAll(i int32) {
	for k := range t.parties {
		if p := &t.parties[k]; !t.granted && p.holding {
			p.doubt = i
		}
	}
}

// confirm notes that the owner's entry existed until now, unless it is known to be gone.
func (t *tally) confirm(owner *party) {
	if owner.refutable {
		t.dropLapse(owner)
	}
	if owner.doubt >= 0 && t.mayBeGone(owner.doubt) {
		owner.doubt = history.NoCause
	}
}

// mayBeGone reports whether an entry may be gone since an event, but need not be.
func (t *tally) mayBeGone(doubt int32) bool {
	kind := t.h.Events[doubt].Kind
	return kind == history.Promoted || kind == history.Acquired
}

// recordLapse records a pending lapse that was not refuted.
func (t *tally) recordLapse(p *party) {
	if p.pending != (lapse{}) {
		t.facts.unasked = append(t.facts.unasked, p.pending)
	}
	t.dropLapse(p)
}

func (t *tally) dropLapse(p *party) {
	t.watched -= count(p.watcher != 0)
	p.pending, p.refutable, p.watcher = lapse{}, false, 0
}

// endHold ends the hold of a client, if any, and notes whether it lasted without an entry while no
// client asked.
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
	case p.ends > 0:
		from = p.ends
	case t.granted || t.h.Header.Lease <= 0:
		return
	}
	switch {
	case from >= at:
		return
	case t.askedSince(i, client, p.doubt, from):
		t.refused = t.refused || p.doubt < 0
		return
	case !t.granted && p.doubt < 0 && t.refused && !t.wanting(client):
		return // this is the last client, and an earlier hold past its lease was asked about
	}
	t.recordLapse(p)
	p.pending, p.refutable, p.watcher = lapse{client, from, at}, p.doubt >= 0 && t.mayBeGone(p.doubt), t.watcher(client, from)
	if p.watcher != 0 {
		t.watched++
	} else if !p.refutable {
		t.recordLapse(p)
	}
}

// wanting reports whether another client than the holder has waited and has not acquired since.
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

// watcher returns a client that watches for changes, or has an open request since an instant; 0 for
// none. A watcher is not notified of an end that only clients compare.
func (t *tally) watcher(holder history.NodeID, from history.Instant) history.NodeID {
	notified := t.parties[holder].doubt >= 0 || t.parties[holder].ends == 0
	for k := range t.parties {
		if p := &t.parties[k]; p.runs() && (p.watching && notified || p.sent >= from) && history.NodeID(k) != holder {
			return history.NodeID(k)
		}
	}
	return 0
}

// noticed notes that a client has asked, by a request sent at an instant. A watcher that asks soon
// after an entry was lost was notified of it.
func (t *tally) noticed(client history.NodeID, sent history.Instant) {
	if t.watched == 0 {
		return
	}
	for k := range t.parties {
		p := &t.parties[k]
		if p.watcher == client && sent >= p.pending.from && sent.Sub(p.pending.from) <= scaled(&t.h.Header, idleAtLeast) {
			t.dropLapse(p)
		}
	}
}
