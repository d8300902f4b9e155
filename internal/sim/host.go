package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// host is one server process: its clock, its connections, and what it serves.
type host struct {
	w      *World
	name   string
	node   history.NodeID
	proc   *kernel.Proc
	lives  int // how often it was restarted; requests to an earlier life are refused
	serv   service
	inbox  []*call  // requests that came while it was frozen
	heard  []func() // from other servers meanwhile, see hear
	hungUp []*conn  // by their clients meanwhile
	conns  []*conn  // of clients, by order of dialling

	lostConns []*conn // closed by its death, for died
}

type service interface {
	// serve executes a request. The answer is sent by call.answer, now or later.
	serve(l *call)
	// hangUp is called when a client has closed its end of a connection.
	hangUp(cn *conn)
	// died and revived are called when the process has been killed, and when it runs again with
	// what is on its disk.
	died()
	revived()
	// thawed is called before the requests that came during a freeze are served, clockChanged
	// after a step of the clock or a change of its rate.
	thawed()
	clockChanged()
	evict() // drops the lock's entry
}

// backend is the servers of one run, as the faults see them.
type backend interface {
	primary() *host // or the leader; the first one of independent servers
	// promote makes a replica the primary while the old one goes on.
	promote()
	// operator returns how long after the primary's death an operator promotes a replica; false if
	// none does.
	operator() (after time.Duration, ok bool)
	// reachabilityChanged is called after a partition has begun or ended, and after a process has
	// died, frozen, thawed or restarted.
	reachabilityChanged()
}

// noOperator are servers that no operator promotes: they elect a leader, or need none.
type noOperator struct{}

func (noOperator) promote()                        {}
func (noOperator) operator() (time.Duration, bool) { return 0, false }
func (noOperator) reachabilityChanged()            {}

// begin makes h one of the world's hosts: first the stores, then the sentinels.
func (w *World) begin(h *host, name string, serv service) {
	*h = host{
		w: w, name: name, node: w.hist.Node(name), serv: serv,
		proc: w.newProc(name, w.clockOf(name)),
	}
	w.hosts = append(w.hosts, h)
}

func (h *host) pick(*client) *host { return h }

func (h *host) up() bool { return !h.proc.Dead() && !h.proc.Frozen() }

// wallMS returns the reading of the host's wall clock in Unix milliseconds.
func (h *host) wallMS() int64 {
	return epochMS + int64(h.proc.Clock.Wall(h.w.k.Now())/time.Millisecond)
}

// clock returns the readings of both of its clocks.
func (h *host) clock() store.Clock {
	now := h.w.k.Now()
	return store.Clock{Wall: h.proc.Clock.Wall(now), Mono: h.proc.Clock.Mono(now)}
}

func (h *host) arrive(l *call) {
	switch {
	case h.proc.Dead() || l.life != h.lives || l.conn != nil && l.conn.gone:
		l.refuse()
	case h.proc.Frozen():
		h.inbox = append(h.inbox, l)
	case l.conn != nil && l.conn.waits:
		l.conn.behind = append(l.conn.behind, l)
	case l.silent:
		l.ofConnection()
		l.answer()
	default:
		h.serv.serve(l)
	}
}

// hear does something when a message from another server arrives; after its thaw if it is frozen.
func (h *host) hear(from history.NodeID, travels time.Duration, do func()) {
	h.w.network.send(h.w.k.Now().Add(travels), from, h.node, kernel.HandlerFunc(func() {
		if h.proc.Frozen() && !h.proc.Dead() {
			h.heard = append(h.heard, do)
			return
		}
		do()
	}))
}

// catchUp does what the process has heard while it was frozen.
func (h *host) catchUp() {
	heard := h.heard
	h.heard = nil
	for _, do := range heard {
		do()
	}
}

// kill ends the process. Its connections break, and its inbox is lost.
func (h *host) kill() {
	h.proc.Kill()
	for _, l := range h.inbox {
		l.refuse()
	}
	h.inbox, h.hungUp = h.inbox[:0], nil
	conns := h.conns
	h.conns = nil
	for _, cn := range conns {
		cn.gone = true
		cn.notifyBroken()
	}
	h.lostConns = conns
	h.serv.died()
	h.lostConns = nil
	h.catchUp() // whoever waits for an answer learns that there is none
	h.w.backend.reachabilityChanged()
}

// revive restarts the process, with its machine's clock.
func (h *host) revive() {
	clock := h.proc.Clock
	h.proc = h.w.newProc(h.name, clock)
	h.lives++
	h.serv.revived()
	h.w.backend.reachabilityChanged()
}

// thaw resumes the process, and serves its inbox.
func (h *host) thaw() {
	h.proc.Thaw()
	h.serv.thawed()
	inbox := h.inbox
	h.inbox = nil
	if _, ok := h.serv.(*sqlServer); ok && h.w.timing.AnyOrder { // it has a thread for each connection
		h.w.inAnyOrder(len(inbox), func(i, k int) { inbox[i], inbox[k] = inbox[k], inbox[i] })
	}
	for _, l := range inbox {
		h.arrive(l)
	}
	hungUp := h.hungUp
	h.hungUp = nil
	for _, cn := range hungUp {
		(*hangUpArrives)(cn).Fire(0)
	}
	h.w.backend.reachabilityChanged()
}

func (h *host) drop(cn *conn) {
	h.conns = slices.DeleteFunc(h.conns, func(other *conn) bool { return other == cn })
}

// becomes records a new role of the server; peer is the former primary, or the one that it follows.
func (h *host) becomes(kind history.Kind, peer *host) {
	h.w.record(h.proc, history.Event{Kind: kind, Node: h.node, Peer: peer.node, Cause: history.NoCause})
}
