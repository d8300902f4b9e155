package nats

import (
	"fmt"
	"slices"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/ports"
	"lockstep/internal/store"
)

// Fixed times of a server.
const (
	leastCheck = 250 * time.Millisecond // between two checks for expired messages
	coarse     = 100 * time.Millisecond // the resolution of the clock for these checks
)

// Store is the state of a bucket, one message for each key. It must be made by New.
type Store struct {
	ttl      time.Duration
	last     Revision
	messages []message     // by revision
	check    time.Duration // the next check for expired messages, on the leader's monotonic clock; 0: none

	store.Base
}

// message is the last write to a key.
type message struct {
	Entry
	key   string
	owner history.NodeID
	at    time.Duration // on the wall clock of the leader
}

// New returns an empty bucket.
func New(ttl time.Duration) *Store { return &Store{ttl: ttl} }

// Exec implements store.Model for the requests of this package.
func (s *Store) Exec(now store.Clock, _ uint64, c store.Conn, op store.Op) (store.Answer, bool) {
	switch op := op.(type) {
	case Write:
		before := s.entry(op.Key)
		if unconditional := op.What == Delete && op.Last == 0; before.Revision != op.Last && !unconditional {
			return store.Refused(WrongLast(fmt.Sprintf("wrong last sequence: %d", before.Revision))), true
		}
		s.put(now, c.Client, before, message{key: op.Key, Entry: Entry{Value: op.Value, Deleted: op.What == Delete}})
		return store.Answer{Value: s.last}, true
	case Get:
		return store.Answer{Value: s.entry(op.Key).Entry}, true
	}
	panic("nats: a request of another store: " + ports.Name(op))
}

// put writes a message, replacing the last one of its key.
func (s *Store) put(now store.Clock, by history.NodeID, before, m message) {
	s.last++
	m.Revision, m.owner, m.at = s.last, by, now.Wall
	s.messages = append(slices.DeleteFunc(s.messages, func(o message) bool { return o.key == m.key }), m)
	if s.check == 0 {
		s.check = now.Mono + s.ttl
	}
	held := before.Revision != 0 && !before.Deleted
	change := store.Change{Kind: history.Granted, Key: m.key, Owner: by, By: by, TTL: s.ttl}
	switch {
	case held && !m.Deleted && before.owner == by:
		change.Kind = history.Extended
	case held: // the end of that entry, also where another client's takes its place
		s.Record(store.Change{Kind: history.Removed, Key: m.key, Owner: before.owner, By: by})
	}
	if !m.Deleted {
		s.Record(change)
	}
}

// entry is the last message of a key; the zero value if there is none.
func (s *Store) entry(key string) message {
	return store.First(s.messages, func(m message) bool { return m.key == key })
}

// Due implements store.Model.
func (s *Store) Due() (time.Duration, bool) { return s.check, s.check != 0 }

// Tick implements store.Model: it removes expired messages.
func (s *Store) Tick(now store.Clock) {
	if s.check == 0 || now.Mono < s.check {
		return
	}
	oldest := now.Wall.Truncate(coarse) - s.ttl
	for len(s.messages) > 0 && s.messages[0].at <= oldest {
		if m := s.messages[0]; !m.Deleted {
			s.Record(store.Change{Kind: history.Expired, Key: m.key, Owner: m.owner})
		}
		s.messages = s.messages[1:]
	}
	s.schedule(now, oldest)
}

// schedule sets the next check to when the first message expires.
func (s *Store) schedule(now store.Clock, oldest time.Duration) {
	s.check = 0
	if len(s.messages) > 0 {
		s.check = now.Mono + max(min(s.messages[0].at-oldest, s.ttl), leastCheck)
	}
}

// Lead implements store.Model: each server checks for expired messages by its own clocks.
func (s *Store) Lead(now store.Clock) { s.schedule(now, now.Wall.Truncate(coarse)-s.ttl) }

// Kept implements store.Model: the keys whose last write is the client's.
func (s *Store) Kept(client history.NodeID) (all []store.Entry) {
	for _, m := range s.messages {
		if m.owner == client && !m.Deleted {
			all = append(all, store.Entry{Key: m.key, Lease: s.ttl})
		}
	}
	return all
}
