package zookeeper

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// A session may be as short or as long as this many ticks, unless the servers are
// told otherwise (minSessionTimeout, maxSessionTimeout).
const (
	minTicks = 2
	maxTicks = 20
)

// session is a client's session with the whole ensemble; it outlives connections.
type session struct {
	id         int64
	client     history.NodeID
	timeout    time.Duration
	expires    time.Duration // on the monotonic clock: the tick at which it ends unless touched
	conn       store.Conn
	connected  bool
	ephemerals []string // in the order of their making
}

func (m *Model) sessionOn(c store.Conn) *session {
	return store.First(m.sessions, func(s *session) bool { return s.connected && s.conn.ID == c.ID })
}

// connect opens a session or takes one up again. A session is on one connection
// only: the one before is closed.
func (m *Model) connect(now store.Clock, c store.Conn, op Connect) store.Answer {
	s := m.sessionByID(op.Session)
	switch {
	case op.Session == 0:
		s = m.newSession(c.Client)
	case s == nil:
		return store.Refused(ErrSessionExpired)
	default:
		m.drop(s)
	}
	s.conn, s.connected = c, true
	s.timeout = min(max(op.Timeout, minTicks*m.cfg.Tick), maxTicks*m.cfg.Tick)
	m.touch(now, s)
	m.renewed(s, s.client)
	return store.Answer{Value: ConnectReply{ID: s.id, Timeout: s.timeout}}
}

// newSession is a transaction; moving a session is none.
func (m *Model) newSession(client history.NodeID) *session {
	m.zxid++
	m.made++
	s := &session{id: m.made, client: client}
	m.sessions = append(m.sessions, s)
	return s
}

func (m *Model) sessionByID(id int64) *session {
	return store.First(m.sessions, func(s *session) bool { return s.id == id })
}

// touch restarts a session's timeout: it ends on the first whole tick after its
// timeout, never sooner.
func (m *Model) touch(now store.Clock, s *session) {
	s.expires = ((now.Mono+s.timeout)/m.cfg.Tick + 1) * m.cfg.Tick
}

// drop closes a session's connection from the servers' side.
func (m *Model) drop(s *session) {
	if s.connected {
		m.Out.Drops = append(m.Out.Drops, s.conn)
		m.disconnect(s)
	}
}

// disconnect parts a session from its connection, whose watches go with it.
func (m *Model) disconnect(s *session) {
	s.connected = false
	m.watches = slices.DeleteFunc(m.watches, func(w watch) bool { return w.conn.ID == s.conn.ID })
}

// end is the end of a session and of its ephemeral nodes, in one transaction. Its
// own watches still fire; then the servers close its connection, unless its client
// asked for the end and closes it itself.
func (m *Model) end(s *session, how history.Kind, by history.NodeID) {
	m.zxid++
	for _, path := range s.ephemerals {
		m.unlink(path)
	}
	s.ephemerals = nil
	if by == 0 {
		m.drop(s)
	} else {
		m.disconnect(s)
	}
	m.sessions = slices.DeleteFunc(m.sessions, func(other *session) bool { return other == s })
	m.settle(how, by)
}
