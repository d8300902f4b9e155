// Package consul models a Consul cluster: sessions, keys that a session can lock,
// lock delays and blocking queries, as a state machine that all of its servers
// together show to their clients. How they agree on a leader is not
// modelled; a change of leader is (Lead).
//
//	s := consul.New(consul.Config{Second: time.Second})
//	answer, _ := s.Exec(now, 1, conn, consul.CreateSession{TTL: 15 * time.Second})
//	session := answer.Value.(string)
//
// Facts from Consul's sources: agent/consul/session_ttl.go (timers), state/kvs.go
// and state/session.go (what a log entry does), state/delay.go and kvs_endpoint.go
// (lock delays), rpc.go (blocking queries). Where there is a real Consul (make
// consul), the tests send both the same random requests, and the answers must be
// the same. The model leaves out health checks, which end sessions as well, and
// the random sixteenth that Consul adds to the time of a blocking query.
package consul

import (
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// Config says what an operator has set up.
type Config struct {
	Second time.Duration // see plan.Cluster("consul"); the least session lasts ten of them
}

// Store is the state of the cluster. It must be made by New.
type Store struct {
	config   Config
	index    int64 // of the last entry of the log
	keysAt   int64 // of the last one that changed a key
	keys     []*entry
	sessions []*session
	delays   []delay // one of each key that ever had one
	queries  []query // that wait for a change
	made     int64   // sessions ever made

	leaderSince time.Duration // see LeaderRuns
	store.Base
}

// entry is a key.
type entry struct {
	key, value string
	session    *session // that has locked it; nil for none
	locked     int64    // how often it was
	modified   int64    // index
}

// query is a blocking query: a reader that waits for the next change.
type query struct {
	id    uint64
	conn  store.Conn
	key   string
	after int64         // index
	until time.Duration // on the leader's monotonic clock
}

// New returns an empty cluster. The index 1 never occurs: Raft itself uses it.
func New(c Config) *Store { return &Store{config: c, index: 1} }

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
		return answer(op, true), true // as it is when there was none
	case Acquire:
		return s.acquire(now, c, op), true
	case Release:
		return s.release(c, op), true
	case Get:
		return s.get(now, id, c, op)
	}
	panic("consul: a request of another store: " + op.Name())
}

// acquire locks a key. The lock delay is the leader's business: a request that it
// refuses does not reach the log.
func (s *Store) acquire(now store.Clock, c store.Conn, op Acquire) store.Answer {
	if s.delayed(now, op.Key) {
		return answer(op, false)
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
		return answer(op, false)
	case e.session == l && e.value == op.Value: // written again as it is: no change, and no new index
		return answer(op, true)
	}
	if e.session == nil {
		e.session = l
		e.locked++
		s.Tell(store.Change{Kind: history.Granted, Key: e.key, Owner: l.owner, By: c.Client, TTL: l.ends - now.Mono})
	}
	e.value = op.Value
	s.touch(e)
	return answer(op, true)
}

// release unlocks a key, without a delay.
func (s *Store) release(c store.Conn, op Release) store.Answer {
	s.index++
	e := s.entry(op.Key)
	if e == nil || e.session == nil || e.session.id != op.Session {
		return answer(op, false)
	}
	s.Tell(store.Change{Kind: history.Removed, Key: e.key, Owner: e.session.owner, By: c.Client})
	e.session, e.value = nil, op.Value
	s.touch(e)
	return answer(op, true)
}

// get reads a key, or waits until its index is above the one that is asked for.
func (s *Store) get(now store.Clock, id uint64, c store.Conn, op Get) (store.Answer, bool) {
	if a, index := s.read(op.Key); op.After == 0 || index > op.After {
		return a, true
	}
	s.queries = append(s.queries, query{id, c, op.Key, op.After, now.Mono + op.Patience()})
	return store.Answer{}, false
}

// read returns the state of a key, and the index to wait for its next change: that
// of the key, or, for one that is not there, of all keys.
func (s *Store) read(key string) (store.Answer, int64) {
	e := s.entry(key)
	if e == nil {
		index := max(s.keysAt, 1) // 0 would mean not to wait
		kv := KV{Index: index}
		return answer(Get{}, kv), index
	}
	kv := KV{
		Exists: true, Value: e.value, LockIndex: e.locked, ModifyIndex: e.modified, Index: e.modified,
	}
	if e.session != nil {
		kv.Session = e.session.id
	}
	return answer(Get{}, kv), kv.Index
}

// touch notes that a key has changed at the present index, and answers the queries that
// waited for that.
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

// answer ends waiting queries, in the order in which they came.
func (s *Store) answer(which func(*query) bool) {
	s.queries = slices.DeleteFunc(s.queries, func(q query) bool {
		if !which(&q) {
			return false
		}
		a, _ := s.read(q.key)
		s.Late(q.id, a)
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

// Closed implements store.Model: no client waits for the answer any more.
func (s *Store) Closed(_ store.Clock, c store.Conn) {
	s.queries = slices.DeleteFunc(s.queries, func(q query) bool { return q.conn.ID == c.ID })
}
