package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// cluster is a set of servers that agree on everything before they answer: etcd,
// ZooKeeper, Consul. Consensus itself is taken for granted: there is one state,
// which moves with the leader. What is modelled is what clients notice of it: a
// request needs a leader that reaches a majority and takes a round trip between
// servers, but for what a server or a leader answers alone (consent); when the
// leader dies, freezes or is cut off, another server with a majority leads after an
// election, which some begin only when a leader that lives has been silent for a while;
// a server that reaches no leader answers no request.
type cluster struct {
	onTheirOwn
	machine
	w        *World
	store    *store.Store
	members  []*member
	leader   *member // nil during an election
	last     *member // who led last
	set      plan.Cluster
	silence  time.Duration // of a leader that lives, until the others look for another one
	network  rng.Rand      // of the links between servers
	lastStep history.Instant
	silent   kernel.Timer // runs while the leader is
	voting   bool
	alone    history.Instant // until when a leader without a majority takes itself for one
	parked   []*call         // requests that wait for a leader
	conns    []*conn         // all that the store may know
}

// member is one server of a cluster.
type member struct {
	host
	cluster *cluster
	since   time.Duration // on its monotonic clock, when it was last started again
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
		m := &member{cluster: c}
		w.begin(&m.host, name, m)
		c.members = append(c.members, m)
	}
	c.leader, c.last = c.members[0], c.members[0]
	return c
}

// pick implements route: each client talks to one server, and to the next one
// after it has had no answer, or when the server no longer listens: client
// libraries look for another server before they fail a request.
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

// serve implements service: the request goes to the leader, which answers when a
// majority has it.
func (m *member) serve(l *call) { m.cluster.submit(l) }

// submit takes a request to the leader, if there is one that m reaches.
func (c *cluster) submit(l *call) {
	if l.takenBack {
		l.unref()
		return
	}
	consent := c.consent(l.op)
	switch {
	case !c.store.Lossy:
	case consent == store.OfServer:
		c.readHere(l)
		return
	case c.last.proc.Dead():
		l.deny(store.ErrNoLeader)
		return
	}
	if !c.leads(c.leader, consent) || c.w.network.apart(l.host.node, c.leader.node) {
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
	if consent == store.OfMajority { // has a place in the log: the order of arrival
		c.lastStep = max(c.lastStep, at)
		at = c.lastStep
		if l.conn != nil {
			l.conn.settled = at
		}
	}
	l.leader, l.consent = c.leader, consent
	c.w.k.At(at, (*commits)(l), 0)
}

// Fire implements kernel.Handler.
func (l *commits) Fire(uint64) { l.leader.cluster.commit(l.leader, l.consent, (*call)(l)) }

// commit executes a request when those have it whose consent it needs. If the leader was
// lost meanwhile, the next one executes it.
func (c *cluster) commit(leader *member, consent store.Consent, l *call) {
	if l.takenBack {
		l.unref()
		return
	}
	if c.store.Lossy && leader != c.last {
		l.unref()
		return
	}
	if !c.leads(leader, consent) {
		c.parked = append(c.parked, l)
		return
	}
	c.execute(l)
}

// answer implements runner.
func (c *cluster) answer(l *call) {
	if l.host == &c.last.host {
		l.answer()
		return
	}
	c.w.k.After(c.hop(), kernel.HandlerFunc(l.answer), 0)
}

// server implements runner.
func (c *cluster) server() *host { return &c.last.host }

// able implements runner: what is due has to be agreed on.
func (c *cluster) able() bool { return c.leader != nil && c.commits(c.leader) }

// replicate implements runner: all servers have it.
func (c *cluster) replicate([]any) {}

// clock is what the clocks of the server show that led last.
func (c *cluster) clock() store.Clock { return c.last.clock() }

func (c *cluster) hop() time.Duration { return c.w.network.draw(&c.network) }

// primary implements backend.
func (c *cluster) primary() *host { return &c.last.host }

// evict implements service: whichever server is asked, all of them drop it.
func (m *member) evict() {
	if m.cluster.leader != nil {
		m.cluster.evictEntry()
	}
}

// hangUp implements service.
func (m *member) hangUp(cn *conn) { m.cluster.closed(cn) }

// died implements service: what the server had not answered is lost, and the
// store learns that its connections are gone.
func (m *member) died() {
	c := m.cluster
	c.parked = m.refuseAll(c.parked)
	c.waiting = m.refuseAll(c.waiting)
	for _, cn := range m.lostConns {
		c.model.Closed(c.clock(), cn.store())
	}
	c.drain(history.NoCause)
}

// refuseAll tells the clients that asked this server that it no longer listens, and
// returns the requests to other servers.
func (m *member) refuseAll(calls []*call) []*call {
	return slices.DeleteFunc(calls, func(l *call) bool {
		here := l.host == &m.host
		if here {
			l.refuse()
		}
		return here
	})
}

// revived implements service: the server takes part again, with the state that
// all agree on.
func (m *member) revived() { m.since = m.clock().Mono }

// thawed implements service.
func (m *member) thawed() {}

// clockChanged implements service.
func (m *member) clockChanged() { m.cluster.arm() }

// storeConn is how the store knows the connection of a request: pooled ones have
// the number 0.
func (l *call) storeConn() store.Conn {
	if l.conn != nil {
		return l.conn.store()
	}
	return store.Conn{Client: l.client.node}
}

// recordChange writes a change of an entry into the history.
func (w *World) recordChange(h *host, ch *store.Change, cause int32) {
	if w.aside != nil && ch.Key != w.entry.Key {
		return
	}
	w.record(h.proc, history.Event{
		Kind: ch.Kind, Node: h.node, Peer: ch.By, Owner: ch.Owner, Value: int64(ch.TTL),
		Text: w.hist.Intern(ch.Key), Cause: cause,
	})
}
