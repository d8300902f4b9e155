package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
)

// network carries the messages between nodes. What a partition holds back
// arrives after its heal, late, as the retransmissions of TCP bring it.
type network struct {
	w      *World
	blocks []block
	held   []message
	spare  []message // room for those that are held next
	sent   int       // messages that were not simply passed on
}

// block is one partition: what nodes of from send to nodes of to is held back.
type block struct {
	fault    int
	from, to []bool // by NodeID
	both     bool
	since    history.Instant
	felt     bool // it has stopped a message
}

// message is what the network delivers: h fires with number when it arrives.
type message struct {
	at       history.Instant // when it would arrive if nothing were in its way
	from, to history.NodeID
	h        kernel.Handler
	number   uint64
	late     bool // see sendLate
	sent     int  // counted
}

// lateMessage is a message that is still under way when others would have arrived.
type lateMessage struct {
	n *network
	message
}

func (n *network) reset(w *World) {
	n.w = w
	n.blocks, n.held, n.sent = n.blocks[:0], n.held[:0], 0
}

// send delivers a message at an instant, or later when a partition is in its way
// at the time of sending.
func (n *network) send(at history.Instant, from, to history.NodeID, h kernel.Handler) {
	n.sendNumbered(at, from, to, h, 0)
}

// sendNumbered is send for a handler that gets a number.
func (n *network) sendNumbered(at history.Instant, from, to history.NodeID, h kernel.Handler, number uint64) {
	if len(n.blocks) > 0 && n.holds(message{at, from, to, h, number, false, n.next()}) {
		return
	}
	n.w.k.At(at, h, number)
}

// sendLate is send for a message that is long under way: a partition that begins before it
// arrives holds it back, too.
func (n *network) sendLate(at history.Instant, from, to history.NodeID, h kernel.Handler) {
	n.deliverLate(message{at, from, to, h, 0, true, n.next()})
}

func (n *network) deliverLate(m message) {
	if !n.holds(m) {
		n.w.k.At(m.at, &lateMessage{n, m}, 0)
	}
}

func (n *network) next() int {
	n.sent++
	return n.sent
}

// Fire: it has come as far as a partition would be.
func (l *lateMessage) Fire(uint64) {
	if !l.n.holds(l.message) {
		l.h.Fire(l.number)
	}
}

// holds keeps a message for which there is no way.
func (n *network) holds(m message) bool {
	if !n.blocked(m.from, m.to) {
		return false
	}
	n.held = append(n.held, m)
	return true
}

// forget drops what is held back of a node, whose machine would have to send it again.
func (n *network) forget(from history.NodeID) {
	n.held = slices.DeleteFunc(n.held, func(m message) bool { return m.from == from })
}

func (n *network) blocked(from, to history.NodeID) bool {
	_, blocked := n.blockedSince(from, to)
	return blocked
}

// blockedSince returns since when nothing gets from one node to another.
func (n *network) blockedSince(from, to history.NodeID) (history.Instant, bool) {
	for i := range n.blocks {
		b := &n.blocks[i]
		if b.from[from] && b.to[to] || b.both && b.from[to] && b.to[from] {
			b.felt = b.felt || !n.w.isAside(from) && !n.w.isAside(to)
			return b.since, true
		}
	}
	return 0, false
}

// apart reports whether two nodes cannot talk, in one direction at least.
func (n *network) apart(a, b history.NodeID) bool {
	return len(n.blocks) > 0 && (n.blocked(a, b) || n.blocked(b, a))
}

// partition begins to hold back messages.
func (n *network) partition(fault int, from, to []history.NodeID, both bool) {
	set := func(ids []history.NodeID) []bool {
		out := make([]bool, len(n.w.hist.Header.Nodes)+1)
		for _, id := range ids {
			out[id] = true
		}
		return out
	}
	n.blocks = append(n.blocks, block{fault: fault, from: set(from), to: set(to), both: both, since: n.w.k.Now()})
	n.w.backend.reachabilityChanged()
}

// heal ends a fault's partitions and lets go what nothing else holds back.
func (n *network) heal(fault int) {
	kept := n.blocks[:0]
	for _, b := range n.blocks {
		if b.fault != fault {
			kept = append(kept, b)
			continue
		}
		n.acted(&b)
	}
	n.blocks = kept
	held := n.held
	n.held, n.spare = n.spare[:0], nil
	// What was late and met the partition on its way was sent before some that met it at once.
	slices.SortStableFunc(held, func(a, b message) int { return a.sent - b.sent })
	if n.w.timing.AnyOrder {
		n.mix(held)
	}
	at := n.w.k.Now().Add(n.w.plan.Network.Latency.Min)
	for _, m := range held {
		if m.at = max(at, m.at); m.late {
			n.deliverLate(m)
		} else if !n.holds(m) {
			n.w.k.At(m.at, m.h, m.number)
		}
	}
	n.spare = held
	n.w.backend.reachabilityChanged()
}

// mix changes the order of what clients have sent; what servers tell each other stays as it is, one stream.
func (n *network) mix(held []message) {
	var of []int
	for i := range held {
		if n.w.hist.Role(held[i].from) == history.RoleClient {
			of = append(of, i)
		}
	}
	n.w.inAnyOrder(len(of), func(i, k int) { held[of[i]], held[of[k]] = held[of[k]], held[of[i]] })
}

// inAnyOrder draws an order of n things.
func (w *World) inAnyOrder(n int, swap func(i, k int)) {
	random := rng.New(w.seed, rng.ID("what comes at one instant"))
	for i := n - 1; i > 0; i-- {
		swap(i, int(random.Int64N(int64(i+1))))
	}
}

// acted tells the engine of a partition that has had an effect for long enough.
func (n *network) acted(b *block) {
	if b.felt && n.w.k.Now().Sub(b.since) >= n.w.plan.MinEffect() {
		n.w.engine.Acted(b.fault)
	}
}

// stillBlocked is called when the run is over: what blocks has not been healed.
func (n *network) stillBlocked() {
	for i := range n.blocks {
		n.acted(&n.blocks[i])
	}
}

// draw picks how long one message travels.
func (n *network) draw(random *rng.Rand) time.Duration {
	return n.w.plan.Network.Latency.Draw(random)
}

// lateness is how much later something comes because of faults.
type lateness struct {
	faults []int
	by     time.Duration
}

func (l *lateness) add(fault int, by time.Duration) {
	l.faults, l.by = append(l.faults, fault), l.by+by
}

// felt tells the engine that something has come late, and returns by how much.
func (l *lateness) felt(w *World, whose history.NodeID) time.Duration {
	if l.by > 0 && !w.isAside(whose) {
		for _, fault := range l.faults {
			w.engine.Acted(fault)
		}
	}
	return l.by
}
