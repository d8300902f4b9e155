package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
)

// network carries the messages between nodes. Those that a partition holds back arrive after its
// heal, as the retransmissions of TCP do.
type network struct {
	w      *World
	blocks []block
	held   []message
	spare  []message // buffer for the next ones
	sent   int       // messages that may be held
}

// block is one partition: messages of nodes in from to nodes in to are held back.
type block struct {
	fault    int
	from, to []bool // by NodeID
	both     bool
	since    history.Instant
	acted    bool // it has stopped a message
}

// message is what the network delivers: h fires with number when it arrives.
type message struct {
	at       history.Instant // when it arrives without a partition
	from, to history.NodeID
	h        kernel.Handler
	number   uint64
	late     bool // see sendLate
	sent     int  // its number among network.sent
}

// lateMessage is a message that takes longer than others.
type lateMessage struct {
	n *network
	message
}

func (n *network) reset(w *World) {
	n.w = w
	n.blocks, n.held, n.sent = n.blocks[:0], n.held[:0], 0
}

// send delivers a message at an instant, or after the partition that holds it back when it is sent.
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

// sendLate is send for a late message: a partition that begins before it arrives holds it back,
// too.
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

// Fire: a partition that has begun meanwhile holds it back.
func (l *lateMessage) Fire(uint64) {
	if !l.n.holds(l.message) {
		l.h.Fire(l.number)
	}
}

func (n *network) holds(m message) bool {
	if !n.blocked(m.from, m.to) {
		return false
	}
	n.held = append(n.held, m)
	return true
}

// forget drops the held messages of a node, whose machine is no longer there to send them again.
func (n *network) forget(from history.NodeID) {
	n.held = slices.DeleteFunc(n.held, func(m message) bool { return m.from == from })
}

func (n *network) blocked(from, to history.NodeID) bool {
	_, blocked := n.blockedSince(from, to)
	return blocked
}

// blockedSince returns since when messages from one node to another are held back.
func (n *network) blockedSince(from, to history.NodeID) (history.Instant, bool) {
	for i := range n.blocks {
		b := &n.blocks[i]
		if b.from[from] && b.to[to] || b.both && b.from[to] && b.to[from] {
			b.acted = b.acted || !n.w.usesAnotherLock(from) && !n.w.usesAnotherLock(to)
			return b.since, true
		}
	}
	return 0, false
}

// apart reports whether messages between two nodes are held back in one direction at least.
func (n *network) apart(a, b history.NodeID) bool {
	return len(n.blocks) > 0 && (n.blocked(a, b) || n.blocked(b, a))
}

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

// heal ends a fault's partitions, and delivers what no other one holds back.
func (n *network) heal(fault int) {
	n.blocks = slices.DeleteFunc(n.blocks, func(b block) bool {
		if b.fault != fault {
			return false
		}
		n.acted(&b, n.w.k.Now())
		return true
	})
	held := n.held
	n.held, n.spare = n.spare[:0], nil
	// A late message that met the partition on its way was sent before some that met it at once.
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

// mix changes the order of the clients' messages; those between servers are one stream.
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

// acted notifies the engine of a partition that has stopped messages, and lasted long enough until
// now.
func (n *network) acted(b *block, now history.Instant) {
	if b.acted && now.Sub(b.since) >= n.w.plan.MinEffect() {
		n.w.engine.Acted(b.fault)
	}
}

// stillBlocked is called when the run is over, for partitions that were not healed.
func (n *network) stillBlocked() {
	for i := range n.blocks {
		n.acted(&n.blocks[i], n.w.hist.End())
	}
}

// draw picks how long one message travels.
func (n *network) draw(random *rng.Rand) time.Duration {
	return n.w.plan.Network.Latency.Draw(random)
}

// lateness is the delay that faults add to a message.
type lateness struct {
	faults []int
	by     time.Duration
}

func (l *lateness) add(fault int, by time.Duration) {
	l.faults, l.by = append(l.faults, fault), l.by+by
}

// take returns the delay of a node's message, and notifies the engine that the faults have acted.
func (l *lateness) take(w *World, whose history.NodeID) time.Duration {
	if l.by > 0 && !w.usesAnotherLock(whose) {
		for _, fault := range l.faults {
			w.engine.Acted(fault)
		}
	}
	return l.by
}
