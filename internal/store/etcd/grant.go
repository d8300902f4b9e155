package etcd

import (
	"strings"
	"time"

	"lockstep/internal/history"
	"lockstep/internal/store"
)

// grant is the last reported state of an entry: its owner, and since which revisions. The
// zero grant has no owner.
type grant struct {
	key      string
	owner    history.NodeID
	lease    int64
	created  int64
	modified int64
}

// cause says why keys have changed: the client that asked for it (0: the cluster
// itself), and the kind of a deletion, Removed or Expired.
type cause struct {
	kind history.Kind
	by   history.NodeID
}

func grantOf(e *entry) grant {
	if e == nil {
		return grant{}
	}
	return grant{e.Key, e.owner, e.Lease, e.CreateRevision, e.ModRevision}
}

// report compares the lock's entries with those that were reported last.
func (s *Store) report(now store.Clock, why cause) {
	if s.cfg.LockKey == "" {
		return
	}
	s.entry = s.compare(now, s.entry, grantOf(s.get(s.cfg.LockKey)), why)
	s.head = s.compare(now, s.head, grantOf(s.first(s.cfg.LockKey+"/")), why)
}

// compare reports the changes that turn one grant into another.
//
// The first of a queue cannot be overtaken, since revisions only grow: when the first
// changes, the old one is gone. A key that was put again is another
// grant if another client did it, and a renewed one if its owner did.
func (s *Store) compare(now store.Clock, old, is grant, why cause) grant {
	switch {
	case is == old:
	case is.key == old.key && is.created == old.created && is.owner == old.owner:
		s.recordChange(now, history.Extended, is, why.by)
	default:
		if old.key != "" {
			s.recordChange(now, why.kind, old, why.by)
		}
		if is.key != "" {
			s.recordChange(now, history.Granted, is, why.by)
		}
	}
	return is
}

// extended reports that the lease of an entry has a new time to live.
func (s *Store) extended(now store.Clock, l *lease, by history.NodeID) {
	for _, g := range [...]grant{s.entry, s.head} {
		if g.key != "" && g.lease == l.id {
			s.recordChange(now, history.Extended, g, by)
		}
	}
}

func (s *Store) recordChange(now store.Clock, kind history.Kind, g grant, by history.NodeID) {
	c := store.Change{Kind: kind, Key: g.key, Owner: g.owner, By: by}
	if kind == history.Granted || kind == history.Extended {
		c.TTL = s.left(now, g.lease)
	}
	s.Record(c)
}

// left returns the remaining time of a lease; 0 without a lease.
func (s *Store) left(now store.Clock, number int64) time.Duration {
	if l := s.lease(number); l != nil {
		return max(l.expiry-now.Mono, 1) // it may be due and not yet revoked
	}
	return 0
}

// Kept implements store.Model: each key that the client has put last, and the folder that it is in.
func (s *Store) Kept(client history.NodeID) (all []store.Entry) {
	for _, e := range s.keys {
		if e.owner != client {
			continue
		}
		kept := store.Entry{Key: e.Key}
		if l := s.lease(e.Lease); l != nil {
			kept.Lease = l.ttl
		}
		all = append(all, kept)
		if end := strings.LastIndexByte(e.Key, '/'); end > 0 {
			all = append(all, store.Entry{Key: e.Key[:end]})
		}
	}
	return all
}
