package sim

import (
	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// hasMajority reports whether a server runs and reaches a majority, itself included.
func (c *cluster) hasMajority(m *member) bool {
	if !m.up() {
		return false
	}
	reached := 1
	for _, other := range c.members {
		if other != m && other.up() && !c.w.network.apart(m.node, other.node) {
			reached++
		}
	}
	return reached > len(c.members)/2
}

// leads reports whether a server is the leader and can answer a request that needs this consent.
func (c *cluster) leads(m *member, consent store.Consent) bool {
	switch {
	case m == nil || m != c.leader:
		return false
	case consent == store.OfLeader && m.up() && c.w.k.Now() < c.alone:
		return true
	}
	return c.hasMajority(m)
}

// reachabilityChanged implements backend: a leader without a majority is replaced by the first
// server that has one. A dead leader is noticed at once, since its connections close.
func (c *cluster) reachabilityChanged() {
	c.listen()
	switch {
	case c.leader != nil && c.hasMajority(c.leader):
		c.w.k.Cancel(c.silent)
		c.silent = kernel.Timer{}
		c.resubmit()
	case c.voting:
	case c.leader == nil || c.leader.proc.Dead() || c.silence == 0:
		c.vote()
	case c.silent == kernel.Timer{}:
		c.silent = c.w.k.After(c.silence, kernel.HandlerFunc(c.vote), 0)
	}
}

// vote begins an election. A leader of Raft goes on for its own lease, half of the election timeout
// (LeaderLeaseTimeout).
func (c *cluster) vote() {
	c.w.k.Cancel(c.silent)
	c.silent, c.voting = kernel.Timer{}, true
	c.alone = c.w.k.Now().Add(c.set.Election / 2)
	c.w.k.After(c.set.Election, kernel.HandlerFunc(c.elect), 0)
}

// elect ends an election. A leader that has a majority again stays.
func (c *cluster) elect() {
	c.voting = false
	if c.leader != nil && c.hasMajority(c.leader) {
		c.resubmit()
		return
	}
	c.leader = nil
	for _, m := range c.members {
		if c.hasMajority(m) {
			c.lead(m)
			return
		}
	}
	// Without a majority, the next change of reachability begins another election.
}

func (c *cluster) lead(m *member) {
	old := c.last
	if c.store.Lossy && m != old {
		for _, l := range c.parked {
			l.unref()
		}
		c.parked = nil
	}
	c.leader, c.last = m, m
	m.becomes(history.Promoted, &old.host)
	if r, ok := c.model.(store.Rememberer); ok {
		r.LeaderRuns(m.since)
	}
	c.model.Lead(c.clock())
	c.drain(history.NoCause)
	c.listen()
	c.resubmit()
}

// listen notes which servers hear of a leader with a majority. One of ZooKeeper that does not goes
// on for a while: until its connection to the leader has been silent for too long (Learner), or as
// the leader until its followers have (Leader). Then it closes the connections of its clients.
func (c *cluster) listen() {
	if c.silence == 0 {
		return
	}
	whole := c.leader != nil && c.hasMajority(c.leader)
	for _, m := range c.members {
		switch {
		case !m.up(), whole && !c.w.network.apart(m.node, c.leader.node):
			m.deaf = never
		case m.deaf == never:
			since := c.w.k.Now()
			m.deaf = since
			c.w.k.After(c.silence, kernel.HandlerFunc(func() {
				if m.deaf == since {
					m.sendAway()
				}
			}), 0)
		}
	}
}

// answersAlone reports whether a server that does not know yet that it has lost touch with its leader
// answers a request by itself: a heartbeat, of which the leader then does not hear. A dead leader
// closes its connections, so all servers know at once.
func (c *cluster) answersAlone(l *call) bool {
	m, ok := l.host.serv.(*member)
	return ok && m.deaf != never && c.w.k.Now().Sub(m.deaf) < c.silence && !c.last.proc.Dead() &&
		l.about().Does == history.KeepsAlive
}

// sendAway closes all connections of clients.
func (m *member) sendAway() {
	m.refuseAll()
	for len(m.conns) > 0 {
		cn := m.conns[0]
		cn.close()
		m.cluster.closed(cn)
	}
}

// resubmit submits the parked requests again.
func (c *cluster) resubmit() {
	parked := c.parked
	c.parked = nil
	for _, l := range parked {
		c.submit(l)
	}
	c.arm()
}

// consent returns which servers have to agree before a request is answered.
func (c *cluster) consent(l *call) store.Consent {
	if len(c.store.Consent) == 0 {
		return store.OfMajority
	}
	return c.store.Consent[l.about().Does]
}

// readHere lets a server answer a read by itself, once it has executed what came before on the same
// connection. A real server may lag behind; no lock notices, since each writes before it reads what
// another client has written.
func (c *cluster) readHere(l *call) {
	if l.conn != nil && l.conn.settled > c.w.k.Now() {
		c.w.k.At(l.conn.settled, kernel.HandlerFunc(func() { c.submit(l) }), 0)
		return
	}
	a, _ := c.model.Exec(c.clock(), uint64(l.id), l.storeConn(), l.op) // a read never waits
	l.value, l.err = a.Value, a.Err
	l.executedOn(l.host)
	out := c.changes(l.executed)
	l.answer()
	c.carry(&out)
}
