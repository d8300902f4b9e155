package checker

import "lockstep/internal/history"

// A client contends from a fault on when it can notice what the fault has done: it waits, and
// runs, while another client holds the lock or a server keeps another one's entry, and in the
// same wait it asks for the lock after the fault has begun:
//
//	 1 A acquired; 2 A fault-began; 3 B waits; 3 B sent; 3.1 S executed peer=B      B contends
//	 1 A acquired; 1 B waits; 1 B sent; 1.1 S executed peer=B; 2 A fault-began      it does not,
//	   ; 9 A releasing; 9.1 B sent; 9.2 S executed peer=B                           until here
//
// The second half, about entries, is for the client that died between two steps of its acquire:
// it never believed to hold, yet its orphaned entry keeps all others out. Two clients that merely
// wait at the same time do not contend: no holder keeps them out.
//
// To ask is to have a request executed that is about an entry. A request that was lost, or that a
// partition holds back, does not count; nor does a heartbeat. A client that waits at the server, by a statement
// that blocks or by a watch, asks again when it is told. Real servers do not say when they execute
// something: then the request whose reply came was asked when it was sent. In a history without any
// message, as logs of clients are, who waits is taken to ask all the time.

// message takes the next message.
func (t *tally) message(i int32, e *history.Event) {
	client, at := e.Peer, i
	switch e.Kind {
	case history.Sent:
		t.sends(e)
		return
	case history.Executed:
	case history.Replied:
		client, at = e.Node, e.Cause
	default:
		return
	}
	if int(client) >= len(t.parties) || !t.parties[client].runs() {
		return
	}
	p, sent := &t.parties[client], e.At
	if cause := e.Cause; cause >= 0 && cause < i {
		request := &t.h.Events[cause]
		if request.Kind != history.Sent {
			return // the reply of what was executed before
		}
		op := t.h.Op(request.Text)
		p.watching = op.Watches
		if !op.Does.AboutEntry() {
			return
		}
		sent = request.At
	}
	p.asked = max(p.asked, at)
	t.told(client, sent)
	if t.wanted() {
		if t.faces(client) {
			p.faced = i
		}
		t.contend(p)
	}
}

// sends notes a request to a real server, which does not say that it watches, nor that it has executed something. A
// blocking query watches until it is answered, unlike a watch, whose answer begins it.
func (t *tally) sends(e *history.Event) {
	if int(e.Node) >= len(t.parties) || history.Simulated(t.h.Header.Backend) {
		return
	}
	p, op := &t.parties[e.Node], t.h.Op(e.Text)
	p.watching = p.watching || p.runs() && (op.Watches || op.Blocks)
	if op.Does.AboutEntry() {
		p.sent = e.At
	}
}

// wanted reports whether contention matters.
func (t *tally) wanted() bool { return !t.facts.contended || len(t.unmet) > 0 }

// face notes that a client waits, if it does, while the lock is another's.
func (t *tally) face(client history.NodeID, i int32) {
	p := &t.parties[client]
	if !p.runs() || !t.faces(client) {
		return
	}
	p.faced = i
	if !t.wired {
		p.asked = i
	}
	t.contend(p)
}

// faceAll does so for every client: who has the lock, or what is wrong, is another since event i.
func (t *tally) faceAll(i int32) {
	if !t.wanted() {
		return
	}
	for client := range t.parties {
		t.face(history.NodeID(client), i)
	}
}

// faces reports whether the lock is another's: a client believes so, or a server does.
func (t *tally) faces(client history.NodeID) bool {
	if t.holding > count(t.parties[client].holding) {
		return true
	}
	for i := range t.parties {
		if owner := t.parties[i].entry; owner != 0 && owner != client {
			return true
		}
	}
	return false
}

// contend counts the contention of a client, if it has faced another in this wait, and asked.
func (t *tally) contend(p *party) {
	if p.faced < p.waits || p.asked < p.waits || p.faced < 0 || p.asked < 0 {
		return
	}
	t.facts.contended = true
	if t.quiet {
		return
	}
	left := t.unmet[:0]
	for _, number := range t.unmet {
		f := t.facts.faults[number]
		if f.contended = f.began <= min(p.faced, p.asked); !f.contended {
			left = append(left, number)
		}
		t.facts.faults[number] = f
	}
	t.unmet = left
}

// endWait ends the wait of a client, if it waits.
func (t *tally) endWait(i int32, e *history.Event, served bool) {
	p := &t.parties[e.Node]
	if p.runs() && !t.wired {
		p.asked = i
	}
	switch {
	case served:
		p.leftOut, p.unserved = lapse{}, false
	case p.runs():
		t.wasLeftOut(i, e.Node, e.At)
	}
	p.waiting = false
}

// wasLeftOut notes how the wait of a client ended that runs: was the lock free until then, for longer
// than is a mere delay, and was it no fault of the network? A client that has sent something meanwhile
// and had nothing executed is cut off.
func (t *tally) wasLeftOut(i int32, client history.NodeID, at history.Instant) {
	p := &t.parties[client]
	p.leftOut = lapse{}
	from := max(t.free, p.ready)
	if t.holding > 0 || t.kept > 0 || at.Sub(from) <= idleLimit(&t.h.Header) {
		return
	}
	sent, executed := false, false
	for k := i - 1; k >= 0 && t.h.Events[k].At >= from; k-- {
		e := &t.h.Events[k]
		sent = sent || e.Kind == history.Sent && e.Node == client
		executed = executed || e.Kind == history.Executed && e.Peer == client || e.Kind == history.Replied && e.Node == client
	}
	if executed || !sent {
		p.leftOut = lapse{client, from, at}
	}
}
