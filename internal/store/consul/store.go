// Package consul models a Consul cluster: sessions, keys that a session can lock,
// lock delays and blocking queries, as one state machine for all of its servers.
// How they elect a leader is not modelled; a change of leader is (Lead).
//
//	s := consul.New(time.Second)
//	answer, _ := s.Exec(now, 1, conn, consul.CreateSession{TTL: 15 * time.Second})
//	session := answer.Value.(string)
//
// It follows Consul's sources: agent/consul/session_ttl.go (timers), state/kvs.go
// and state/session.go (what a log entry does), state/delay.go and kvs_endpoint.go
// (lock delays), rpc.go (blocking queries). With a real Consul (make consul), the
// tests compare the answers of both to the same random requests. Not modelled are
// health checks, which also end sessions, and the random sixteenth that Consul adds
// to the time of a blocking query.
package consul

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Store is the state of the cluster. It must be made by New.
type Store struct {
	second   time.Duration // see Second
	index    int64         // of the last entry of the log
	keysAt   int64         // index of the last entry that changed a key
	keys     []*entry
	sessions []*session
	delays   map[string]*delay // by key, even when over
	queries  []query           // waiting for a change
	made     int64             // number of sessions ever made

	leaderSince time.Duration // see LeaderRuns
	store.Base
}

// entry is a key.
type entry struct {
	key, value string
	session    *session // that has locked it; nil for none
	locked     int64    // how often it was locked
	modified   int64    // index of the last change
}

// query is a blocking query: a reader that waits for the next change.
type query struct {
	id    uint64
	conn  store.Conn
	key   string
	after int64         // index
	until time.Duration // on the leader's monotonic clock
}

// New returns an empty cluster. Its shortest session is ten times second.
func New(second time.Duration) *Store {
	return &Store{second: second, index: 1, delays: map[string]*delay{}} // Raft uses index 1 itself
}

var (
	_ store.Model      = (*Store)(nil)
	_ store.Rememberer = (*Store)(nil)
)

// Exec implements store.Model for the requests of this package.
func (s *Store) Exec(now store.Clock, id uint64, c store.Conn, op store.Op) (store.Answer, bool) {
	switch op := op.(type) {
	case CreateSession:
		return s.createSession(now, c, op), true
	case RenewSession:
		return s.renewSession(now, c, op.Session), true
	case DestroySession:
		if l := s.session(op.Session); l != nil {
			s.invalidate(now, l, history.Removed, c.Client)
		}
		return store.Answer{Value: true}, true // even without such a session
	case Acquire:
		return s.acquire(now, c, op), true
	case Release:
		return s.release(c, op), true
	case Get:
		return s.get(now, id, c, op)
	}
	panic("consul: a request of another store: " + ports.Name(op))
}

// acquire locks a key. The leader checks the lock delay: a request that it refuses
// does not reach the log.
func (s *Store) acquire(now store.Clock, c store.Conn, op Acquire) store.Answer {
	if s.delayed(now, op.Key) {
		return store.Answer{Value: false}
	}
	s.index++
	l := s.session(op.Session)
	if l == nil {
		return store.Refused(ErrNoSession)
	}
	e := s.entry(op.Key)
	switch {
	case e == nil:
		e = &entry{key: op.Key}
		s.keys = append(s.keys, e)
	case e.session != nil && e.session != l:
		return store.Answer{Value: false}
	case e.session == l && e.value == op.Value: // no change, no new index
		return store.Answer{Value: true}
	}
	if e.session == nil {
		e.session = l
		e.locked++
		s.Record(store.Change{Kind: history.Granted, Key: e.key, Owner: l.owner, By: c.Client, TTL: l.ends - now.Mono})
	}
	e.value = op.Value
	s.touch(e)
	return store.Answer{Value: true}
}

// release unlocks a key, without a delay.
func (s *Store) release(c store.Conn, op Release) store.Answer {
	s.index++
	e := s.entry(op.Key)
	if e == nil || e.session == nil || e.session.id != op.Session {
		return store.Answer{Value: false}
	}
	s.Record(store.Change{Kind: history.Removed, Key: e.key, Owner: e.session.owner, By: c.Client})
	e.session, e.value = nil, op.Value
	s.touch(e)
	return store.Answer{Value: true}
}

// get reads a key, or waits until its index is greater than the given one.
func (s *Store) get(now store.Clock, id uint64, c store.Conn, op Get) (store.Answer, bool) {
	if kv := s.read(op.Key); op.After == 0 || kv.Index > op.After {
		return store.Answer{Value: kv}, true
	}
	s.queries = append(s.queries, query{id, c, op.Key, op.After, now.Mono + op.Patience()})
	return store.Answer{}, false
}

// read returns the state of a key. The index to wait for its next change is that of the
// key, or of all keys for a missing one.
func (s *Store) read(key string) KV {
	e := s.entry(key)
	if e == nil {
		return KV{Index: max(s.keysAt, 1)} // 0 would mean not to wait
	}
	kv := KV{
		Exists: true, Value: e.value, LockIndex: e.locked, ModifyIndex: e.modified, Index: e.modified,
	}
	if e.session != nil {
		kv.Session = e.session.id
	}
	return kv
}

// touch sets the index of a changed key, and answers the queries that waited for it.
func (s *Store) touch(e *entry) {
	e.modified, s.keysAt = s.index, s.index
	s.wake(e.key)
}

// remove deletes a key.
func (s *Store) remove(e *entry) {
	s.keysAt = s.index
	s.keys = slices.DeleteFunc(s.keys, func(other *entry) bool { return other == e })
	s.wake(e.key)
}

// wake answers the queries that waited for a change of a key.
func (s *Store) wake(key string) {
	s.answer(func(q *query) bool { return q.key == key && s.index > q.after })
}

// answer ends waiting queries, in order of arrival.
func (s *Store) answer(which func(*query) bool) {
	s.queries = slices.DeleteFunc(s.queries, func(q query) bool {
		if !which(&q) {
			return false
		}
		s.Late(q.id, store.Answer{Value: s.read(q.key)})
		return true
	})
}

func (s *Store) entry(key string) *entry {
	return store.First(s.keys, func(e *entry) bool { return e.key == key })
}

// Kept implements store.Model: the keys that sessions of the client have locked.
func (s *Store) Kept(client history.NodeID) (all []store.Entry) {
	for _, e := range s.keys {
		if e.session != nil && e.session.owner == client {
			all = append(all, store.Entry{Key: e.key})
		}
	}
	return all
}

// Closed implements store.Model: the connection's queries are dropped.
func (s *Store) Closed(_ store.Clock, c store.Conn) {
	s.queries = slices.DeleteFunc(s.queries, func(q query) bool { return q.conn.ID == c.ID })
}
