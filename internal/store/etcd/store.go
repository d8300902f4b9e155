// Package etcd models an etcd cluster: keys with revisions, transactions, leases
// and watches, as a state machine that all of its members together show to their
// clients. How they agree on a leader is not modelled; a change of leader is (Lead).
//
//	s := etcd.New(etcd.Config{LockKey: "lock"})
//	answer, _ := s.Exec(now, 1, conn, etcd.Grant{TTL: 10 * time.Second})
//	lease := answer.Value.(etcd.Lease)
//
// Facts from etcd 3.4: server/mvcc (revisions), lease/lessor.go (leases) and
// etcdserver/apply.go (transactions); the test beside it compares the model with
// a real server.
package etcd

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Config describes the cluster and the lock to the model.
type Config struct {
	// LockKey is the key of the lock's entry. The keys below LockKey + "/" are its
	// queue: there, the key that was created first is the entry.
	LockKey string
	// Election is the election timeout; 0 for the default of 1 s.
	Election time.Duration
}

// The numbers of etcd.
const (
	defaultElection = time.Second
	scanPeriod      = 500 * time.Millisecond // between two scans for leases whose time is up
	firstLease      = 0x694d7a1b00000001     // real ones are as long, and as meaningless
)

// Store is the state of the cluster. It must be made by New.
type Store struct {
	cfg      Config
	revision int64
	keys     []*entry // in the order of the alphabet
	past     []Event  // the changes of all keys, for watches that begin in the past
	leases   []*lease // in the order of their making
	made     int64    // leases ever made
	watches  []watch
	entry    grant // of the lock's key itself
	head     grant // of its queue
	store.Base
}

// entry is a key.
type entry struct {
	KV
	owner history.NodeID // the client that put it
}

// watch is a client's subscription to changes.
type watch struct {
	conn store.Conn
	Watch
}

// New returns an empty cluster.
func New(cfg Config) *Store {
	if cfg.Election == 0 {
		cfg.Election = defaultElection
	}
	return &Store{cfg: cfg, revision: 1} // etcd counts from 1
}

var _ store.Model = (*Store)(nil)

// Exec implements store.Model for the requests of this package.
func (s *Store) Exec(now store.Clock, id uint64, c store.Conn, op store.Op) (store.Answer, bool) {
	switch op := op.(type) {
	case Op:
		return s.do(now, c, &op), true
	case Txn:
		return s.txn(now, c, &op), true
	case Grant:
		return s.grant(now, op.TTL), true
	case KeepAlive:
		return s.keepAlive(now, id, c, op.Lease)
	case Revoke:
		return s.revoke(now, c, op.Lease), true
	case Watch:
		s.watch(c, op)
		return store.Answer{Value: s.revision}, true
	}
	panic("etcd: a request of another store: " + ports.Name(op))
}

// Closed implements store.Model: the watches of the connection are over.
func (s *Store) Closed(_ store.Clock, c store.Conn) {
	s.watches = slices.DeleteFunc(s.watches, func(w watch) bool { return w.conn.ID == c.ID })
	for _, l := range s.leases {
		l.waiting = slices.DeleteFunc(l.waiting, func(w waiting) bool { return w.conn.ID == c.ID })
	}
}

// find returns the index of a key, or where it would be inserted.
func (s *Store) find(key string) (int, bool) {
	return slices.BinarySearchFunc(s.keys, key, func(e *entry, key string) int {
		return cmp.Compare(e.Key, key)
	})
}

// get returns a key, nil when it does not exist.
func (s *Store) get(key string) *entry {
	if i, ok := s.find(key); ok {
		return s.keys[i]
	}
	return nil
}

// span returns the keys that an operation is about.
func (s *Store) span(key string, prefix bool) (from, to int) {
	from, found := s.find(key)
	to = from
	switch {
	case prefix:
		for to < len(s.keys) && strings.HasPrefix(s.keys[to].Key, key) {
			to++
		}
	case found:
		to++
	}
	return from, to
}

// put writes a key at a revision. The lease must be there.
func (s *Store) put(op *Op, rev int64, owner history.NodeID) {
	i, found := s.find(op.Key)
	if !found {
		e := &entry{KV: KV{Key: op.Key, CreateRevision: rev}}
		s.keys = slices.Insert(s.keys, i, e)
	}
	e := s.keys[i]
	s.detach(e)
	e.Value, e.ModRevision, e.Lease, e.owner = op.Value, rev, op.Lease, owner
	e.Version++
	if l := s.lease(op.Lease); l != nil {
		l.keys = append(l.keys, e.Key)
	}
	s.note(Event{Key: e.Key, Revision: rev, Put: e.KV})
}

// remove deletes the keys at [from, to) and returns how many there were.
func (s *Store) remove(from, to int, rev int64) int64 {
	for _, e := range s.keys[from:to] {
		s.detach(e)
		s.note(Event{Key: e.Key, Revision: rev, Deleted: true})
	}
	s.keys = slices.Delete(s.keys, from, to)
	return int64(to - from)
}

// note keeps a change and sends it to the watchers of the key.
func (s *Store) note(e Event) {
	s.past = append(s.past, e)
	for i := range s.watches {
		s.watches[i].notify(s, e)
	}
}

func (w *watch) notify(s *Store, e Event) {
	about := e.Key == w.Key || w.Prefix && strings.HasPrefix(e.Key, w.Key)
	if about && e.Revision >= w.From {
		s.Out.Pushes = append(s.Out.Pushes, store.Push{Conn: w.conn, Value: e})
	}
}

// watch begins a watch; changes since its first revision are sent at once.
func (s *Store) watch(c store.Conn, op Watch) {
	w := watch{c, op}
	if w.From == 0 {
		w.From = s.revision + 1
	}
	first, _ := slices.BinarySearchFunc(s.past, w.From, func(e Event, rev int64) int {
		return cmp.Compare(e.Revision, rev)
	})
	for _, e := range s.past[first:] {
		w.notify(s, e)
	}
	s.watches = append(s.watches, w)
}
