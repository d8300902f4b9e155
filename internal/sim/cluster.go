package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// cluster is a set of servers that agree before they answer: etcd, ZooKeeper, Consul. Consensus is
// assumed: there is one state, which moves with the leader. What clients can notice is modelled:
// most requests need a leader that reaches a majority, and a round trip between servers (consent);
// a leader that is dead, frozen or cut off is replaced after an election, before which some stores
// wait for a while if it lives; a server that reaches no leader answers no request.
type cluster struct {
	noOperator
	machine
	w        *World
	store    *store.Store
	members  []*member
	leader   *member // nil during an election
	last     *member // the last leader
	set      plan.Cluster
	silence  time.Duration // of a living leader before an election
	network  rng.Rand      // of the links between servers
	lastStep history.Instant
	silent   kernel.Timer // runs while the leader is silent
	voting   bool
	alone    history.Instant // until when a leader without a majority still acts as one
	parked   []*call         // requests that wait for a leader
}

type member struct {
	host
	cluster *cluster
	since   time.Duration   // of its last restart, on its monotonic clock
	deaf    history.Instant // since when it hears of no leader with a majority, or never
}

var (
	_ backend = (*cluster)(nil)
	_ service = (*member)(nil)
)

func (w *World) newCluster(names []string, set plan.Cluster, s *store.Store, model store.Model) *cluster {
	c := &cluster{
		w: w, store: s, machine: machine{model: model}, set: set,
		network: rng.New(w.seed, rng.ID("network of servers")),
	}
	c.by = c
	for _, name := range names {
		m := &member{cluster: c, deaf: never}
		w.begin(&m.host, name, m)
		c.members = append(c.members, m)
	}
	c.leader, c.last = c.members[0], c.members[0]
	return c
}

// pick implements route: each client talks to one server. A dead server refuses, so the client
// tries the next one, as client libraries do before they fail a request; it stays with a server
// that it cannot reach, which is silent.
func (c *cluster) pick(cl *client) *host {
	for range c.members {
		m := c.members[cl.member%len(c.members)]
		if !m.proc.Dead() || c.w.network.apart(cl.node, m.node) {
			return &m.host
		}
		cl.member++
	}
	return &c.members[cl.member%len(c.members)].host
}

func (m *member) serve(l *call) { m.cluster.submit(l) }

// submit takes a request to the leader, if its server reaches one.
func (c *cluster) submit(l *call) {
	if l.takenBack {
		l.unref()
		return
	}
	consent := c.consent(l)
	if c.store.Lossy {
		switch {
		case consent == store.OfServer:
			c.readHere(l)
			return
		case c.last.proc.Dead():
			l.deny(store.ErrNoLeader)
			return
		}
	}
	if !c.leads(c.leader, consent) || c.w.network.apart(l.host.node, c.leader.node) {
		if c.answersAlone(l) {
			l.executedOn(l.host)
			l.answer()
			return
		}
		c.parked = append(c.parked, l)
		return
	}
	if consent == store.OfServer {
		c.readHere(l)
		return
	}
	travel := time.Duration(0)
	if consent == store.OfMajority {
		travel = 2 * c.hop() // to a majority and back
	}
	if l.host != &c.leader.host {
		travel += c.hop()
	}
	at := c.w.k.Now().Add(travel)
	if consent == store.OfMajority { // the log is in the order of arrival
		c.lastStep = max(c.lastStep, at)
		at = c.lastStep
		if l.conn != nil {
			l.conn.settled = at
		}
	}
	l.leader, l.consent = c.leader, consent
	c.w.k.At(at, (*commitArrives)(l), 0)
}

func (l *commitArrives) Fire(uint64) { l.leader.cluster.commit(l.leader, l.consent, (*call)(l)) }

// commit executes a request that has the consent it needs. If that leader has been lost, the next
// one executes it.
func (c *cluster) commit(leader *member, consent store.Consent, l *call) {
	if l.takenBack {
		l.unref()
		return
	}
	if c.store.Lossy && leader != c.last { // the old leader has forgotten it: the client times out
		l.unref()
		return
	}
	if !c.leads(leader, consent) {
		c.parked = append(c.parked, l)
		return
	}
	c.execute(l)
}

func (c *cluster) answer(l *call) {
	if l.host == &c.last.host {
		l.answer()
		return
	}
	l.host.hear(c.last.node, c.hop(), l.answer)
}

// inform implements runner: at once, unless the server stands still or is cut off from the leader.
func (c *cluster) inform(h *host, do func()) {
	if h.up() && !c.w.network.apart(c.last.node, h.node) {
		do()
		return
	}
	h.hear(c.last.node, 0, do)
}

func (c *cluster) server() *host { return &c.last.host }

// able implements runner: an expiry, too, has to be agreed on.
func (c *cluster) able() bool { return c.leader != nil && c.hasMajority(c.leader) }

// replicate implements runner: all servers have it.
func (c *cluster) replicate([]any) {}

// clock is that of the last leader.
func (c *cluster) clock() store.Clock { return c.last.clock() }

func (c *cluster) hop() time.Duration { return c.w.network.draw(&c.network) }

func (c *cluster) primary() *host { return &c.last.host }

// evict implements service: all servers drop the entry.
func (m *member) evict() {
	if m.cluster.leader != nil {
		m.cluster.evictEntry()
	}
}

func (m *member) hangUp(cn *conn) { m.cluster.closed(cn) }

// died implements service: requests without an answer are lost, and the store learns that the
// connections are closed.
func (m *member) died() {
	c := m.cluster
	m.refuseAll()
	for _, cn := range m.lostConns {
		c.model.Closed(c.clock(), cn.store())
	}
	c.drain(history.NoCause)
}

// refuseAll refuses all requests that the server has not answered.
func (m *member) refuseAll() {
	here := func(l *call) bool { return l.host == &m.host }
	for _, l := range append(take(&m.cluster.parked, here), take(&m.cluster.waiting, here)...) {
		l.refuse()
	}
}

// revived implements service: the server takes part again, with the common state.
func (m *member) revived() { m.since = m.clock().Mono }

func (m *member) thawed() { m.catchUp() }

func (m *member) clockChanged() { m.cluster.arm() }

// storeConn identifies the connection of a request to a store: pooled ones have the number 0.
func (l *call) storeConn() store.Conn {
	if l.conn != nil {
		return l.conn.store()
	}
	return store.Conn{Client: l.client.node}
}

// recordChange records a change of an entry.
func (w *World) recordChange(h *host, ch *store.Change, cause int32) {
	if w.usesAnotherLock(ch.Owner) {
		return
	}
	w.record(h.proc, history.Event{
		Kind: ch.Kind, Node: h.node, Peer: ch.By, Owner: ch.Owner, Value: int64(ch.TTL),
		Text: w.hist.Intern(ch.Key), Cause: cause,
	})
}
