package sim

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/plan"
	"lockstep/internal/rng"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/sim/store"
)

// cluster is a set of servers that agree on everything before they answer: etcd,
// ZooKeeper, Consul. Consensus itself is taken for granted: there is one state,
// which moves with the leader. What is modelled is what clients notice of it: a
// request needs a leader that reaches a majority and takes a round trip between
// servers, but for what a server or a leader answers alone (consent); when the
// leader dies, freezes or is cut off, another server with a majority leads after an
// election, which some begin only when a leader that lives has been silent for a while;
// a server that reaches no leader answers nobody.
type cluster struct {
	w        *World
	model    store.Model
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
	waiting  []*call         // requests that wait inside the store
	due      kernel.Timer
	conns    []*conn // all that the store may know
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

func (w *World) newCluster(names []string, set plan.Cluster, model store.Model) *cluster {
	c := &cluster{
		w: w, model: model, set: set,
		network: rng.New(w.seed, rng.ID("network of servers")),
	}
	for _, name := range names {
		m := &member{cluster: c}
		m.host = w.newHost(name, m)
		c.members = append(c.members, m)
	}
	c.leader, c.last = c.members[0], c.members[0]
	return c
}

// pick implements route: each client talks to one server, and to the next one
// after it has had no answer, or when nobody listens there any more: client
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
	if !c.leads(leader, consent) {
		c.parked = append(c.parked, l)
		return
	}
	a, done := c.model.Exec(c.clock(), uint64(l.id), l.storeConn(), l.op)
	if !done {
		c.waiting = append(c.waiting, l)
		c.drain(l.executed)
		return
	}
	c.executed(l, a)
	out := c.changes(l.executed) // before the answer: a fault may wait for it, and changes more
	c.answer(l)
	c.carry(&out)
}

// executed records that a request was executed.
func (c *cluster) executed(l *call, a store.Answer) {
	l.value, l.err, l.replied = a.Value, a.Err, a.Text
	l.executedOn(&c.last.host)
}

// answer sends an answer back the way that the request came.
func (c *cluster) answer(l *call) {
	if l.host == &c.last.host {
		l.answer()
		return
	}
	c.w.k.After(c.hop(), kernel.HandlerFunc(l.answer), 0)
}

// drain carries away what has come out of the store.
func (c *cluster) drain(cause int32) {
	out := c.changes(cause)
	c.carry(&out)
}

// changes records what has become of entries, and returns what else has come out of the store.
func (c *cluster) changes(cause int32) store.Output {
	out := c.model.Output()
	for _, ch := range out.Changes {
		c.w.recordChange(&c.last.host, &ch, cause)
	}
	// The store fills its buffers anew when a fault at an answer changes something.
	out.Answers, out.Pushes, out.Drops = slices.Clone(out.Answers), slices.Clone(out.Pushes), slices.Clone(out.Drops)
	return out
}

// carry passes on what has come out of the store.
func (c *cluster) carry(out *store.Output) {
	for _, late := range out.Answers {
		if l := takeCall(&c.waiting, late.ID); l != nil {
			c.executed(l, late.Answer)
			c.answer(l)
		}
	}
	for _, p := range out.Pushes {
		if cn := c.conn(p.Conn.ID); cn != nil {
			cn.push(p.Value)
		}
	}
	for _, d := range out.Drops {
		if cn := c.conn(d.ID); cn != nil {
			cn.close()
		}
	}
	c.arm()
}

// conn finds an open connection by its number.
func (c *cluster) conn(id uint64) *conn {
	for _, m := range c.members {
		for _, cn := range m.conns {
			if cn.id == id {
				return cn
			}
		}
	}
	return nil
}

// arm sets the timer for what the store has to do by itself.
func (c *cluster) arm() {
	c.w.k.Cancel(c.due)
	c.due = kernel.Timer{}
	at, ok := c.model.Due()
	if !ok || c.leader == nil {
		return
	}
	wait := max(at-c.clock().Mono, 0)
	c.due = c.w.k.After(c.last.proc.Clock.TrueFor(wait), (*clusterDue)(c), 0)
}

// clusterDue is the timer of a cluster.
type clusterDue cluster

// Fire lets the store do what is due, if its leader can: what runs out has to be
// agreed on like everything else.
func (d *clusterDue) Fire(uint64) {
	c := (*cluster)(d)
	c.due = kernel.Timer{}
	if c.leader == nil || !c.commits(c.leader) {
		return // the next leader arms it again
	}
	c.model.Tick(c.clock())
	c.drain(history.NoCause)
}

// clock is what the clocks of the server show that led last.
func (c *cluster) clock() store.Clock { return c.last.clock() }

func (c *cluster) hop() time.Duration { return c.w.network.draw(&c.network) }

// hosts implements backend.
func (c *cluster) hosts() []*host {
	var out []*host
	for _, m := range c.members {
		out = append(out, &m.host)
	}
	return out
}

// primary implements backend.
func (c *cluster) primary() *host { return &c.last.host }

// failOver implements backend: the leader dies, and the others elect another one.
func (c *cluster) failOver(fault int) { injector{c.w}.Crash(fault, c.last.name) }

// promote implements backend: a cluster promotes nobody on demand.
func (c *cluster) promote() {}

// evict implements backend.
func (c *cluster) evict(*host) {
	if c.leader == nil {
		return
	}
	c.model.Evict(c.clock(), c.w.entry.Key)
	c.drain(history.NoCause)
}

// setLag implements backend: nothing is replicated late.
func (c *cluster) setLag(lateness) {}

// hangUp implements service.
func (m *member) hangUp(cn *conn) {
	c := m.cluster
	c.waiting = withoutCallsOn(cn, c.waiting)
	c.model.Closed(c.clock(), cn.store())
	c.drain(history.NoCause)
}

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

// refuseAll tells those who asked this server that nobody listens any more, and
// returns the requests of the others.
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
