package checker

import (
	"slices"

	"lockstep/internal/history"
)

// A client contends after a fault when it can notice the effect: it waits, and is not frozen, while
// another client holds the lock or a server has another client's entry, and in the same wait it
// asks for the lock after the fault has begun:
//
//	 1 A acquired; 2 A fault-began; 3 B waits; 3 B sent; 3.1 S executed peer=B      B contends
//	 1 A acquired; 1 B waits; 1 B sent; 1.1 S executed peer=B; 2 A fault-began      it does not,
//	   ; 9 A releasing; 9.1 B sent; 9.2 S executed peer=B                           until here
//
// Entries count because a client may die during its acquire: it never believed that it holds the
// lock, but its orphaned entry keeps others out. Clients that only wait at the same time do not
// contend.
//
// A client that watches nothing, and first asks more than a second after all others have left, does
// not contend: it was cut off, or sleeps for long.
//
// A client asks when a request about an entry is executed; of independent servers, when it has
// asked most. Lost requests, heartbeats and removals do not count, nor what a server would refuse
// any client, nor requests without an answer or by a client that dies before it, since their grant
// lets no client in, nor those to a server on which such a request has made an entry of its own,
// which keeps it out in any case. A client that waits at the server, by a blocking statement or a
// watch, asks again when it is notified; if it gives up before that, it has asked when it sent the
// statement. Real servers do not report executions: there the time of sending counts, if there is a
// reply. In a history without messages, waiting clients are assumed to ask all the time.

func (t *tally) message(i int32, e *history.Event) {
	client, server, at := e.Peer, e.Node, i
	switch e.Kind {
	case history.Sent:
		t.sends(e)
		return
	case history.Executed:
		if t.lost[e.Cause] {
			return
		}
	case history.Replied:
		client, server, at = e.Node, e.Peer, e.Cause
	case history.TimedOut:
		if t.h.Text(e.Text) != history.KeptWaiting {
			return
		}
		client, server, at = e.Node, e.Peer, e.Cause
	default:
		return
	}
	if int(client) >= len(t.parties) || !t.parties[client].runs() || t.h.Answer(e.Text).Unable {
		return
	}
	p, sent := &t.parties[client], e.At
	if cause := e.Cause; cause >= 0 && cause < i {
		request := &t.h.Events[cause]
		if request.Kind != history.Sent {
			return // a reply, whose execution has counted
		}
		op := t.h.Op(request.Text)
		p.watching = op.Watches
		if !asksFor(op) {
			return
		}
		sent = request.At
	}
	if int(server) < len(t.parties) && t.parties[server].entry == client && t.lost[t.parties[server].by] {
		return
	}
	t.asks(p, server, at)
	t.noticed(client, sent)
	if !t.wanted() {
		return
	}
	switch {
	case t.faces(client):
		p.faced = i
	case !p.watching && e.At.Sub(t.moved) > scaled(&t.h.Header, idleAtLeast):
		p.faced = history.NoCause // it asks so late that it would have noticed nothing, now and by what it asks next
		return
	}
	t.contend(p)
}

// asksFor reports whether a request may ask for the lock. One that only removes does not.
func asksFor(op *history.Op) bool {
	return op.Does.AboutEntry() && (op.Does < history.RemovesOwn || op.Script) && !op.Frees
}

// asks notes that a client has asked a server. Of independent servers, it has asked for the lock
// when it has asked most.
func (t *tally) asks(p *party, server history.NodeID, at int32) {
	if !t.apart || int(server) >= len(t.parties) {
		p.asked = max(p.asked, at)
		return
	}
	if p.each == nil {
		p.each = slices.Repeat([]int32{history.NoCause}, len(t.parties))
	}
	p.each[server] = max(p.each[server], at)
	latest := slices.Sorted(slices.Values(p.each))
	p.asked = max(p.asked, latest[len(latest)-1-t.stores/2])
}

// unanswered returns the requests on which their clients give up or die, or whose answers are lost.
func unanswered(h *history.History) map[int32]bool {
	all := map[int32]bool{}
	for i := range h.Events {
		switch h.Events[i].Kind {
		case history.TimedOut, history.ReplyDropped:
			request, _ := h.Request(int32(i))
			all[request] = true
		case history.Crashed: // of servers nothing is under way
			underWay(h, i, all)
		}
	}
	delete(all, history.NoCause)
	return all
}

// underWay adds the requests that a client has sent and has no answer to when it dies, by event i.
func underWay(h *history.History, i int, all map[int32]bool) {
	client, answered := h.Events[i].Node, map[int32]bool{}
	for k := i - 1; k >= 0; k-- {
		switch e := &h.Events[k]; {
		case e.Node != client:
		case e.Kind == history.Crashed:
			return
		case e.Kind == history.Replied:
			request, _ := h.Request(int32(k))
			answered[request] = true
		case e.Kind == history.Sent && !answered[int32(k)]:
			all[int32(k)] = true
		}
	}
}

// sends notes a request to a real server, which reports neither watches nor executions. A blocking
// query watches until it is answered; a watch begins with its answer.
func (t *tally) sends(e *history.Event) {
	if int(e.Node) >= len(t.parties) || history.Simulated(t.h.Header.Backend) {
		return
	}
	p, op := &t.parties[e.Node], t.h.Op(e.Text)
	p.watching = p.watching || p.runs() && (op.Watches || op.Blocks)
	if asksFor(op) {
		p.sent = e.At
	}
}

// wanted reports whether more contention would change the facts.
func (t *tally) wanted() bool { return !t.facts.contended || len(t.unmet) > 0 }

// face notes that a client waits, if it does, while another one has the lock.
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

// faceAll calls face for every client, since event i changes the holder or begins a fault.
func (t *tally) faceAll(i int32) {
	if !t.wanted() {
		return
	}
	for client := range t.parties {
		t.face(history.NodeID(client), i)
	}
}

// faces reports whether another client has the lock, by its belief or by a server's entry; of
// independent servers, by so many that the others are too few.
func (t *tally) faces(client history.NodeID) bool {
	if t.holding > count(t.parties[client].holding) {
		return true
	}
	n := 0
	for i := range t.parties {
		p := &t.parties[i]
		n += count(p.entry != 0 && p.entry != client && !p.down)
	}
	return n > 0 && (!t.apart || 2*n >= t.stores)
}

// contend notes the contention of a client that has faced another one, and asked, in this wait.
func (t *tally) contend(p *party) {
	if p.faced < p.waits || p.asked < p.waits || p.faced < 0 || p.asked < 0 {
		return
	}
	t.facts.contended = true
	if t.quiet {
		return
	}
	t.unmet = slices.DeleteFunc(t.unmet, func(f *FiredFault) bool {
		f.Contended = f.began <= min(p.faced, p.asked)
		return f.Contended
	})
}

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

// wasLeftOut notes whether a wait has ended without success, although the lock was free for longer
// than a delay and the network worked: a client that sent requests of which none was executed is
// cut off.
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
