// Package zookeeper models a ZooKeeper ensemble: a tree of nodes, sessions and
// watches, as a state machine that all of its servers together show to their
// clients. How they elect a leader is not modelled; a change of leader is (Lead).
//
//	m := zookeeper.New(zookeeper.Config{Tick: 2 * time.Second, LockPath: "/lock"})
//	m.Exec(now, 1, conn, zookeeper.Connect{Timeout: 10 * time.Second})
//	m.Exec(now, 2, conn, zookeeper.Create{Path: "/lock", Mode: Ephemeral})
//
// Facts from ZooKeeper 3.8: PrepRequestProcessor (what fails, sequence numbers),
// DataTree (nodes and watches), SessionTrackerImpl and ExpiryQueue (sessions); a
// test in live compares the model with a real server. Two things are simpler: a
// server of an ensemble may answer reads from a slightly old state, and
// passes a client's heartbeats to its leader twice per tick; here both are
// immediate.
package zookeeper

import (
	"cmp"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Config describes the ensemble and the lock to the model.
type Config struct {
	// Tick is the unit of the servers' time (tickTime): sessions last 2 to 20 of
	// them and end on a whole one. 0 for the default of 2 s.
	Tick time.Duration
	// LockPath is the path of the lock's entry when it is an ephemeral node. Else
	// its children are the queue, and the entry is the one with the lowest number.
	// "/lock" when empty.
	LockPath string
}

const (
	defaultTick     = 2 * time.Second
	defaultLockPath = "/lock"
)

// Model is the state of the ensemble. It must be made by New.
type Model struct {
	cfg      Config
	zxid     int64 // of the latest transaction: 32 bits of the leader's epoch, 32 that count
	nodes    map[string]*node
	sessions []*session // in the order of their making
	made     int64      // sessions ever made
	watches  []watch    // in the order of their laying
	entry    entry
	store.Base
}

var _ store.Evicter = (*Model)(nil)

// New returns an ensemble with an empty tree.
func New(cfg Config) *Model {
	if cfg.Tick == 0 {
		cfg.Tick = defaultTick
	}
	if cfg.LockPath == "" {
		cfg.LockPath = defaultLockPath
	}
	return &Model{cfg: cfg, nodes: map[string]*node{"/": {}}}
}

// Exec implements store.Model; every answer comes at once.
func (m *Model) Exec(now store.Clock, _ uint64, c store.Conn, op store.Op) (a store.Answer, done bool) {
	m.Tick(now)
	switch op := op.(type) {
	case Connect:
		return m.connect(now, c, op), true
	case Ping, Create, Delete, Exists, Children, SetWatches, Close:
	default:
		panic("zookeeper: a request of another store: " + ports.Name(op))
	}
	s := m.sessionOn(c)
	if s == nil { // it has ended, or has moved to another connection
		m.Out.Drops = append(m.Out.Drops, c)
		return store.Refused(ports.ErrConnection), true
	}
	m.touch(now, s)
	switch op := op.(type) {
	case Ping:
		m.renewed(s, s.client)
	case Create:
		a = m.create(s, op)
	case Delete:
		a = m.delete(s, op)
	case Exists:
		a = m.exists(c, op)
	case Children:
		a = m.children(op)
	case SetWatches:
		a = m.setWatches(c, op)
	case Close:
		m.end(s, history.Removed, s.client)
	}
	return a, true
}

// Closed implements store.Model. The session goes on; its watches were the
// connection's, and the client has to set them again.
func (m *Model) Closed(_ store.Clock, c store.Conn) {
	if s := m.sessionOn(c); s != nil {
		m.disconnect(s)
	}
}

// Due implements store.Model.
func (m *Model) Due() (mono time.Duration, ok bool) {
	s := m.nextToExpire()
	if s == nil {
		return 0, false
	}
	return s.expires, true
}

// Tick implements store.Model: sessions that have been idle for too long end, the
// older ticks first.
func (m *Model) Tick(now store.Clock) {
	for s := m.nextToExpire(); s != nil && s.expires <= now.Mono; s = m.nextToExpire() {
		m.end(s, history.Expired, 0)
	}
}

// nextToExpire returns the session that is the first to end, nil for none.
func (m *Model) nextToExpire() *session {
	if len(m.sessions) == 0 {
		return nil
	}
	return slices.MinFunc(m.sessions, func(a, b *session) int { return cmp.Compare(a.expires, b.expires) })
}

// Lead implements store.Model. The servers have closed all connections when they
// lost their leader, and a new one gives every session its full timeout again.
func (m *Model) Lead(now store.Clock) {
	m.zxid = (m.zxid>>epochShift + 1) << epochShift
	for _, s := range m.sessions {
		m.drop(s)
		m.touch(now, s)
		m.renewed(s, 0)
	}
}

// epochShift splits a transaction's number into the leader's epoch and a counter.
const epochShift = 32

// Evict implements store.Evicter: an operator ends the session that owns the entry,
// whatever the key.
func (m *Model) Evict(_ store.Clock, _ string) bool {
	s := m.entry.session
	if s == nil {
		return false
	}
	m.end(s, history.Removed, 0)
	return true
}
