package sim

import (
	"time"

	"lockstep/internal/history"
	"lockstep/internal/sim/kernel"
)

// sentinels monitor a group of Redis servers (sentinel.c of Redis 7.0). Each has its own view of
// which server is the primary. One that finds its primary down, and whose quorum agrees, asks for
// votes; with a majority it promotes a replica. The other sentinels learn of that from those that
// they reach, the servers from the sentinels that reach them.
//
// Here votes are never split, which would delay a promotion by seconds, and all replicas are told
// at once: a real sentinel tells one after the other (parallel-syncs 1).
type sentinels struct {
	group   *redisGroup
	members []sentinel
	period  time.Duration // between two looks
}

// sentinel is one process. It serves no requests.
type sentinel struct {
	host
	all       *sentinels
	primary   *redisServer      // in its view
	epoch     int64             // in which that one was promoted (config-epoch)
	newest    int64             // the newest epoch known (current-epoch)
	silent    history.Instant   // since when that primary is out of reach, or never
	notBefore history.Instant   // when it may ask for votes
	promotes  int64             // the epoch for which it was elected, or 0
	astray    []history.Instant // by server: since when it does not follow that primary, or never
}

// never marks what has not happened.
const never = history.Instant(-1)

// looksPerDownAfter is how many looks there are in the time after which a silent primary is down.
const looksPerDownAfter = 10

func (w *World) newSentinels(g *redisGroup, names []string) *sentinels {
	ws := &sentinels{group: g, period: max(g.failover.DownAfter/looksPerDownAfter, time.Millisecond)}
	ws.members = make([]sentinel, len(names))
	for i, name := range names {
		m := &ws.members[i]
		w.begin(&m.host, name, m)
		m.all = ws
		m.adopt(g.leader, 0)
	}
	w.k.After(ws.period, ws, 0)
	return ws
}

// quorum is how many must find the primary down, and vote for the sentinel that promotes: a
// majority.
func (ws *sentinels) quorum() int { return len(ws.members)/2 + 1 }

// Fire lets all sentinels look.
func (ws *sentinels) Fire(uint64) {
	for i := range ws.members {
		if m := &ws.members[i]; m.up() {
			m.listen()
			m.look()
		}
	}
	for i := range ws.members {
		if m := &ws.members[i]; m.up() {
			m.stand()
			m.correct()
		}
	}
	ws.group.w.k.After(ws.period, ws, 0)
}

// adopt makes a server the primary in this sentinel's view.
func (m *sentinel) adopt(primary *redisServer, epoch int64) {
	m.primary, m.epoch = primary, epoch
	m.newest = max(m.newest, epoch)
	m.silent, m.notBefore, m.promotes = never, 0, 0
	m.astray = unset(len(m.all.group.servers))
}

func (m *sentinel) reaches(h *host) bool { return h.up() && !m.w.network.apart(m.node, h.node) }

// listen adopts news of the other sentinels, which publish them on all servers
// (__sentinel__:hello).
func (m *sentinel) listen() {
	for i := range m.all.members {
		if from := &m.all.members[i]; from != m && from.up() && m.hears(from) {
			m.newest = max(m.newest, from.newest)
			if from.epoch > m.epoch {
				m.adopt(from.primary, from.epoch)
			}
		}
	}
}

func (m *sentinel) hears(from *sentinel) bool {
	if m.reaches(&from.host) {
		return true
	}
	for _, s := range m.all.group.servers {
		if from.reaches(&s.host) && m.reaches(&s.host) {
			return true
		}
	}
	return false
}

func (m *sentinel) look() {
	switch {
	case m.reaches(&m.primary.host):
		m.silent = never
	case m.silent == never:
		m.silent = m.w.k.Now()
	}
}

// down reports whether the sentinel by itself finds its primary down (SDOWN).
func (m *sentinel) down() bool {
	return m.silent != never && m.w.k.Now().Sub(m.silent) >= m.all.group.failover.DownAfter
}

// count returns for how many sentinels within reach, itself included, a condition holds.
func (m *sentinel) count(match func(*sentinel) bool) (n int) {
	for i := range m.all.members {
		other := &m.all.members[i]
		if (other == m || m.reaches(&other.host)) && match(other) {
			n++
		}
	}
	return n
}

// stand asks for votes when a quorum finds the primary down (ODOWN). Each sentinel has one vote per
// epoch, gives it whatever the state of the primary, and then delays its own attempt. The election
// goes on even if the primary answers again.
func (m *sentinel) stand() {
	ws, now := m.all, m.w.k.Now()
	_, timeout := m.w.plan.SentinelTimes()
	agrees := func(o *sentinel) bool { return o.primary == m.primary && o.down() }
	if now < m.notBefore || m.promotes != 0 || !m.down() || m.count(agrees) < ws.quorum() {
		return
	}
	epoch := m.newest + 1
	votes := m.count(func(o *sentinel) bool {
		free := o.newest < epoch
		if free {
			o.newest, o.notBefore = epoch, now.Add(2*timeout)
		}
		return free
	})
	if votes < ws.quorum() {
		return
	}
	m.promotes = epoch
	m.w.k.After(ws.group.failover.Election, kernel.HandlerFunc(func() { m.promote(epoch) }), 0)
}

// promote ends an election. Of the replicas within reach, the first one with the most of the
// primary's stream is promoted.
func (m *sentinel) promote(epoch int64) {
	if m.promotes != epoch {
		return // it was restarted, or knows of a newer primary
	}
	m.promotes = 0
	if !m.up() {
		return
	}
	var best *redisServer
	for _, s := range m.all.group.servers {
		if s != m.primary && m.reaches(&s.host) && (best == nil || s.reportedOffset() > best.reportedOffset()) {
			best = s
		}
	}
	if best == nil {
		return // the next attempt comes later (-failover-abort-no-good-slave)
	}
	old := m.primary
	best.promote()
	best.disconnectClients()
	m.adopt(best, epoch)
	for _, s := range m.all.group.servers {
		if s != best && s != old && m.reaches(&s.host) {
			m.reconfigure(s)
		}
	}
}

// reportedOffset is the offset that a replica reports, none for a primary.
func (s *redisServer) reportedOffset() int64 {
	if !s.store.IsReplica() {
		return none
	}
	return s.has
}

// correct makes stray servers follow the primary: another primary soon, a replica of another server
// later. It waits because other sentinels may know better.
func (m *sentinel) correct() {
	now := m.w.k.Now()
	demoteAfter, timeout := m.w.plan.SentinelTimes()
	sane := m.reaches(&m.primary.host) && !m.primary.store.IsReplica()
	for i, s := range m.all.group.servers {
		patience := timeout
		if !s.store.IsReplica() {
			patience = demoteAfter
		}
		switch {
		case s == m.primary || s.follows == m.primary || !m.reaches(&s.host):
			m.astray[i] = never
		case m.astray[i] == never:
			m.astray[i] = now
		case sane && now.Sub(m.astray[i]) > patience:
			m.astray[i] = never
			m.reconfigure(s)
		}
	}
}

// reconfigure tells a server within reach to follow this sentinel's primary.
func (m *sentinel) reconfigure(s *redisServer) {
	primary := m.primary
	s.order(m.node, m.all.group.hop(), func() {
		if s != primary && s.follows != primary {
			s.disconnectClients()
			s.follow(primary)
		}
	})
}

// updatePrimary gives a client the primary, by the newest epoch among the sentinels that it reaches.
func (ws *sentinels) updatePrimary(c *client) {
	for i := range ws.members {
		m := &ws.members[i]
		if m.epoch > c.epoch && m.up() && !m.w.network.apart(c.node, m.node) {
			c.knows, c.epoch = &m.primary.host, m.epoch
		}
	}
}

// A sentinel is a service without requests.

func (m *sentinel) serve(l *call) { l.refuse() }
func (m *sentinel) hangUp(*conn)  {}
func (m *sentinel) died()         { m.promotes = 0 }
func (m *sentinel) revived()      { m.adopt(m.primary, m.epoch) }
func (m *sentinel) thawed()       {}
func (m *sentinel) clockChanged() {}
func (m *sentinel) evict()        {}

var _ service = (*sentinel)(nil)
