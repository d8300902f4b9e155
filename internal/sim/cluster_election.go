package sim

import (
	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
	"lockstep/internal/store"
)

// commits reports whether a server reaches a majority, itself included.
func (c *cluster) commits(m *member) bool {
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

// leads reports whether a server is a leader that can answer what needs so much consent.
func (c *cluster) leads(m *member, consent store.Consent) bool {
	switch {
	case m == nil || m != c.leader:
		return false
	case consent == store.OfLeader && m.up() && c.w.k.Now() < c.alone:
		return true
	}
	return c.commits(m)
}

// reachabilityChanged implements backend: a leader without a majority is replaced
// after an election, by the first server that has one. That it has died the others see
// at once, for its connections close.
func (c *cluster) reachabilityChanged() {
	switch {
	case c.leader != nil && c.commits(c.leader):
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

// vote begins an election. A leader of Raft goes on for its own lease, half of the time
// after which the others look for another one (LeaderLeaseTimeout).
func (c *cluster) vote() {
	c.w.k.Cancel(c.silent)
	c.silent, c.voting = kernel.Timer{}, true
	c.alone = c.w.k.Now().Add(c.set.Election / 2)
	c.w.k.After(c.set.Election, kernel.HandlerFunc(c.elect), 0)
}

// elect ends an election. A leader that has its majority back stays.
func (c *cluster) elect() {
	c.voting = false
	if c.leader != nil && c.commits(c.leader) {
		c.resubmit()
		return
	}
	c.leader = nil
	for _, m := range c.members {
		if c.commits(m) {
			c.lead(m)
			return
		}
	}
	// No server has a majority: the next change of the network tries again.
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
	c.resubmit()
}

// resubmit lets parked requests go on.
func (c *cluster) resubmit() {
	parked := c.parked
	c.parked = nil
	for _, l := range parked {
		c.submit(l)
	}
	c.arm()
}
