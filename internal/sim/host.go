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
	w     *World
	name  string
	node  history.NodeID
	proc  *kernel.Proc
	lives int // how often it was restarted; what belongs to an earlier life is refused
	serv  service
	inbox []*call // requests that reached it while it was frozen
	conns []*conn // that clients have dialled, by order of dialling

	lostConns []*conn // those that its death has just broken, for died
}

// service is what a host runs.
type service interface {
	// serve takes up a request. The answer goes out by call.answer, now or later.
	serve(l *call)
	// hangUp tells that a client's end of a connection is gone.
	hangUp(cn *conn)
	// died and revived are called when the process has been killed and when it
	// runs again, empty but for what is on its disk.
	died()
	revived()
	// thawed is called before the requests that came during a freeze are served,
	// clockChanged after a step of the clock or a change of its rate.
	thawed()
	clockChanged()
	evict() // drops the lock's entry
}

// backend is the servers of one run, as the faults see them.
type backend interface {
	primary() *host // or the leader; of those that know nothing of each other the first
	// promote makes a replica the primary while the old one goes on.
	promote()
	// operator is how long after the primary's death an operator promotes a replica; false where none does.
	operator() (after time.Duration, ok bool)
	// reachabilityChanged is called after a partition has begun or ended, and
	// after a process has died, frozen, thawed or come back.
	reachabilityChanged()
}

// onTheirOwn are servers that are not promoted by hand: they elect a leader, or need none.
type onTheirOwn struct{}

func (onTheirOwn) promote()                        {}
func (onTheirOwn) operator() (time.Duration, bool) { return 0, false }
func (onTheirOwn) reachabilityChanged()            {}

// begin makes h one of the world's hosts: first those that keep entries, then those that watch over them.
func (w *World) begin(h *host, name string, serv service) {
	*h = host{
		w: w, name: name, node: w.hist.Node(name), serv: serv,
		proc: w.newProc(name, w.clockOf(name)),
	}
	w.hosts = append(w.hosts, h)
}

// pick implements route.
func (h *host) pick(*client) *host { return h }

// up reports whether the process runs.
func (h *host) up() bool { return !h.proc.Dead() && !h.proc.Frozen() }

// wall is what the host's wall clock shows, since the epoch of the run.
func (h *host) wall() time.Duration { return h.proc.Clock.Wall(h.w.k.Now()) }

// wallMS is the same in Unix milliseconds.
func (h *host) wallMS() int64 { return epochMS + int64(h.wall()/time.Millisecond) }

// clock is what both of its clocks show.
func (h *host) clock() store.Clock {
	now := h.w.k.Now()
	return store.Clock{Wall: h.proc.Clock.Wall(now), Mono: h.proc.Clock.Mono(now)}
}

// arrive takes a request from the network.
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

// kill ends the process. Its connections break, and what had reached it is lost.
func (h *host) kill() {
	h.proc.Kill()
	for _, l := range h.inbox {
		l.refuse()
	}
	h.inbox = h.inbox[:0]
	conns := h.conns
	h.conns = nil
	for _, cn := range conns {
		cn.gone = true
		cn.tellBroken()
	}
	h.lostConns = conns
	h.serv.died()
	h.lostConns = nil
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

// thaw lets it go on with what has come meanwhile.
func (h *host) thaw() {
	h.proc.Thaw()
	h.serv.thawed()
	inbox := h.inbox
	h.inbox = nil
	if _, threads := h.serv.(*sqlServer); threads && h.w.timing.AnyOrder { // one for each connection
		h.w.inAnyOrder(len(inbox), func(i, k int) { inbox[i], inbox[k] = inbox[k], inbox[i] })
	}
	for _, l := range inbox {
		h.arrive(l)
	}
	h.w.backend.reachabilityChanged()
}

// drop forgets a connection.
func (h *host) drop(cn *conn) {
	h.conns = slices.DeleteFunc(h.conns, func(other *conn) bool { return other == cn })
}

// becomes records a new role of the server; peer is the primary before it, or the one that
// it follows now.
func (h *host) becomes(kind history.Kind, peer *host) {
	h.w.record(h.proc, history.Event{Kind: kind, Node: h.node, Peer: peer.node, Cause: history.NoCause})
}
